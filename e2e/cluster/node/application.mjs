// The application of pods in tests: answers with the name of its pod and the identity of the caller, at the port PORT.
import { createServer } from 'node:http';

const { POD = '', PORT = '8080' } = process.env;
const server = createServer(({ headers }, response) => {
  response.end(JSON.stringify({ pod: POD, caller: headers['x-forwarded-client-cert'] ?? '' }));
});
server.listen(Number(PORT), '::');
process.on('SIGTERM', () => server.close(() => process.exit(0)));
