import { readFileSync } from 'node:fs';
import { answerTo, type Reply, startDouble, withAddress } from './dns-double.ts';

/**
 * A program of a network namespace: DNS in the clear on port 53 of the addresses that it is given, over TLS on 853 with
 * the certificate of its folder. The one in the clear has an answer for every name, 192.0.2.1; the other one 10.0.0.1,
 * and to a question for text so much of it that it does not fit into a datagram. Each query becomes a line of output.
 */
const [folder = '.', ...addresses] = process.argv.slice(2);

const told = (reply: Reply, who: string): Reply => {
  return (query, send, way) => {
    process.stdout.write(`${who} ${way.port === undefined ? 'stream' : 'udp'} ${query.questions?.[0]?.name}\n`);
    reply(query, send, way);
  };
};

const ofMesh: Reply = (query, send, way) => {
  const [question] = query.questions ?? [];
  if (question?.type !== 'TXT') return withAddress('10.0.0.1')(query, send, way);
  const texts = Array.from({ length: 40 }, (_, n) => String(n).padStart(250, 'x'));
  send(answerTo(query, { answers: [{ type: 'TXT', name: question.name, ttl: 30, data: texts }] }));
};

const certificate = {
  certificateChain: readFileSync(`${folder}/cert-chain.pem`, 'utf8'),
  privateKey: readFileSync(`${folder}/key.pem`, 'utf8'),
  rootCertificate: '',
};
for (const address of addresses) {
  await startDouble(told(withAddress('192.0.2.1'), 'plain'), undefined, { address, port: 53 });
  await startDouble(told(ofMesh, 'tls'), certificate, { address, port: 853 });
}
process.stdout.write('listening\n');
