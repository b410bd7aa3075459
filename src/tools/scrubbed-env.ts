/** The only variables that a process started for a tool sees: nothing of ours, nothing secret. */
export function scrubbedEnv(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    LANG: process.env["LANG"] ?? "C.UTF-8",
    TERM: process.env["TERM"] ?? "dumb",
  };
}
