// The live state: server-sent events, for ever reconnecting; stale after eight seconds of silence.
export function follow(onState, onStale) {
  let last = performance.now();
  let source;
  const open = () => {
    source = new EventSource("/api/events");
    source.onmessage = (message) => {
      last = performance.now();
      onStale(false);
      onState(JSON.parse(message.data), last);
    };
    source.onerror = () => {
      source.close();
      setTimeout(open, 1000);
    };
  };
  open();
  setInterval(() => onStale(performance.now() - last > 8000), 500);
}
