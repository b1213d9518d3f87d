// `load.mjs URL`: requests one after the other, each on a connection of its own, until standard input ends or SIGTERM. Then
// prints how many were answered by which pod, and what became of the others.
import { Agent, get } from 'node:http';

const [url] = process.argv.slice(2);
const agent = new Agent({ keepAlive: false });
const answers = {};
const failures = [];
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});

while (!isOver) {
  const startedAt = new Date().toISOString();
  try {
    const pod = await ask();
    answers[pod] = (answers[pod] ?? 0) + 1;
  } catch (error) {
    failures.push(`${startedAt} ${error.message}`);
  }
  await new Promise((done) => setTimeout(done, 50));
}
process.stdout.write(`${JSON.stringify({ answers, failures })}\n`);

function ask() {
  return new Promise((resolve, reject) => {
    const sent = get(url, { agent, timeout: 5_000 }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      if (response.statusCode === 200) resolve(JSON.parse(body).pod);
      else reject(new Error(`${response.statusCode} ${body}`));
    });
    sent.on('timeout', () => sent.destroy(new Error('no answer in 5 s')));
    sent.on('error', reject);
  });
}
