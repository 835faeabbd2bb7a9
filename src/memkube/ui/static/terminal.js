// A terminal of lines in a container, by Kubernetes' WebSocket protocol for exec (v5.channel.k8s.io).
const [STDIN, STDOUT, STDERR, ERROR] = [0, 1, 2, 3];
const MOST_CHARACTERS = 200000;
const encoder = new TextEncoder();
const sequences = /\x1b\[[0-9;?]*[A-Za-z]|\x07|\r(?=\n)/g;

export function startTerminal() {
  const terminal = document.querySelector(".terminal");
  if (!terminal) return;
  const screen = document.getElementById("screen");
  const line = document.getElementById("line");
  const state = document.getElementById("terminal-state");
  const decoders = { [STDOUT]: new TextDecoder(), [STDERR]: new TextDecoder() };
  const earlier = [];
  let place = 0;
  let ended = "";

  const address = new URL(terminal.dataset.socket, location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, ["v5.channel.k8s.io"]);
  socket.binaryType = "arraybuffer";

  const send = (text) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const bytes = encoder.encode(text);
    const message = new Uint8Array(bytes.length + 1);
    message[0] = STDIN;
    message.set(bytes, 1);
    socket.send(message);
  };
  const show = (text) => {
    screen.append(text.replace(sequences, ""));
    if (screen.textContent.length > MOST_CHARACTERS) screen.textContent = screen.textContent.slice(-MOST_CHARACTERS / 2);
    screen.scrollTop = screen.scrollHeight;
  };

  socket.addEventListener("open", () => {
    state.textContent = "Connected.";
    line.focus();
  });
  socket.addEventListener("message", (event) => {
    const bytes = new Uint8Array(event.data);
    if (bytes[0] === ERROR) {
      const status = JSON.parse(new TextDecoder().decode(bytes.subarray(1)));
      ended = status.status === "Success" ? "The program has ended with exit code 0." : status.message;
    } else if (decoders[bytes[0]]) {
      show(decoders[bytes[0]].decode(bytes.subarray(1), { stream: true }));
    }
  });
  socket.addEventListener("close", () => {
    state.textContent = ended || "The server has refused or closed the connection: the container may not run, or you may not use it.";
    for (const part of terminal.querySelectorAll("input, button")) part.disabled = true;
  });
  document.getElementById("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    if (line.value) earlier.push(line.value);
    place = earlier.length;
    send(`${line.value}\n`);
    line.value = "";
  });
  document.getElementById("interrupt").addEventListener("click", () => send("\x03"));
  document.getElementById("end").addEventListener("click", () => send("\x04"));
  line.addEventListener("keydown", (event) => {
    const isSelected = line.selectionStart !== line.selectionEnd;
    if (event.ctrlKey && event.key === "c" && !isSelected) send("\x03");
    else if (event.ctrlKey && event.key === "d") send("\x04");
    else if (event.key === "ArrowUp" && place > 0) line.value = earlier[(place -= 1)];
    else if (event.key === "ArrowDown") line.value = earlier[(place = Math.min(place + 1, earlier.length))] ?? "";
    else return;
    event.preventDefault();
  });
  addEventListener("pagehide", () => socket.close());
}
