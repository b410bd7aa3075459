import { StrictMode, useCallback, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import type { Place } from "./conversation.ts";
import { useRuns } from "./use-runs.ts";
import { useThread } from "./use-thread.ts";
import { View } from "./view.tsx";

const address = new URL(location.href);
const apiUrl = address.searchParams.get("api") ?? "";
const protocol = address.searchParams.get("over") ?? "runs";

/** The thread stands in the page's address, so that a reload comes back to it. */
function usePlace(): Place {
  const [threadId, setThreadId] = useState(() => address.searchParams.get("thread"));
  const keepThread = useCallback((id: string) => {
    setThreadId(id);
    address.searchParams.set("thread", id);
    history.replaceState(null, "", address);
  }, []);
  return useMemo(() => ({ apiUrl, threadId, keepThread }), [threadId, keepThread]);
}

function OverRuns() {
  return <View conversation={useRuns(usePlace(), protocol === "plain")} />;
}

function OverThread() {
  return <View conversation={useThread(usePlace(), protocol === "websocket" ? "websocket" : "sse")} />;
}

const root = document.getElementById("root");
if (root)
  createRoot(root).render(
    <StrictMode>{protocol === "runs" || protocol === "plain" ? <OverRuns /> : <OverThread />}</StrictMode>,
  );
