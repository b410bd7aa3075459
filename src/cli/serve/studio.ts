/** Where LangGraph Studio is served from: LangSmith, in each of its regions. */
export const STUDIO_ORIGINS: readonly string[] = [
  "https://smith.langchain.com",
  "https://eu.smith.langchain.com",
  "https://apac.smith.langchain.com",
  "https://aws.smith.langchain.com",
];

/** The page of Studio that talks to a server. Those of the other regions take the same `baseUrl`. */
export function studioLink(url: string): string {
  return `https://smith.langchain.com/studio/?baseUrl=${url}`;
}
