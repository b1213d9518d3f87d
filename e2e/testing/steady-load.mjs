// Servers and a client for a test of changing endpoints, inside a network namespace.
// `steady-load.mjs serve NAME=ADDRESS:PORT ...`: HTTP servers that answer with their name.
// `steady-load.mjs load HTTP-URL REDIS-HOST:PORT`: requests and Redis commands without a pause, until standard input ends;
// then prints how many there were, how many failed and in which ways, and which servers answered the last 20 requests.
import http from 'node:http';
import net from 'node:net';

const [mode, ...words] = process.argv.slice(2);
if (mode === 'serve') serve();
else await load();

function serve() {
  for (const word of words) {
    const [name, address] = word.split('=');
    const [host, port] = address.split(':');
    http.createServer((_request, response) => response.end(name)).listen(Number(port), host);
  }
}

async function load() {
  const [url, redis] = words;
  const counts = { requests: 0, commands: 0, failures: [], last: [] };
  let isOver = false;
  process.stdin.on('end', () => {
    isOver = true;
  });
  process.stdin.resume();
  const agent = new http.Agent({ keepAlive: true });
  const until = async (work) => {
    while (!isOver) await work().catch((error) => counts.failures.push(String(error.message)));
  };
  await Promise.all([
    ...[1, 2, 3].map(() => until(() => request(url, agent, counts))),
    ...[1, 2, 3].map((n) => until(() => commands(redis, n, counts, () => isOver))),
  ]);
  counts.last = [...new Set(counts.last.slice(-20))].sort();
  process.stdout.write(JSON.stringify(counts));
  process.exit(0);
}

function request(url, agent, counts) {
  return new Promise((resolve, reject) => {
    const sent = http.get(url, { agent }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      counts.requests += 1;
      counts.last.push(body);
      if (response.statusCode !== 200) counts.failures.push(`${response.statusCode} ${body}`);
      resolve();
    });
    sent.on('error', reject);
  });
}

/** One connection; each command waits for the answer to the one before. */
function commands(place, n, counts, isOver) {
  const [host, port] = place.split(':');
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), host);
    const send = () => {
      const key = `key-${n}-${counts.commands % 50}`;
      socket.write(`*3\r\n$3\r\nSET\r\n$${key.length}\r\n${key}\r\n$1\r\n1\r\n`);
    };
    socket.on('connect', send);
    socket.on('data', (bytes) => {
      counts.commands += 1;
      const answer = String(bytes).trim();
      if (answer !== '+OK') counts.failures.push(answer);
      if (isOver()) socket.end();
      else send();
    });
    socket.on('error', reject);
    socket.on('close', () => (isOver() ? resolve() : reject(new Error('the Redis connection was closed'))));
  });
}
