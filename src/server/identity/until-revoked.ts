/** A body that ends early when what lets its reader read it ends. `watch` calls back then, and gives what stops it. */
export function untilRevoked(
  body: ReadableStream<Uint8Array>,
  watch: (onEnd: () => void) => () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let stop = (): void => undefined;
  let isOver = false;
  const over = (): boolean => {
    const wasOver = isOver;
    isOver = true;
    stop();
    return wasOver;
  };
  return new ReadableStream(
    {
      start(controller) {
        stop = watch(() => {
          if (over()) return;
          controller.close();
          void reader.cancel().catch(() => undefined);
        });
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (isOver) return;
          if (!done) controller.enqueue(value);
          else if (!over()) controller.close();
        } catch (error) {
          if (!over()) controller.error(error);
        }
      },
      cancel(reason) {
        over();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
