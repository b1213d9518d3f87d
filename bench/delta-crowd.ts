// A process of clients of the discovery protocol, which does what its parent says.
import type { ClientIdentity } from './client-identities.ts';
import { DeltaClient, type Seen } from './delta-client.ts';

/** What the parent asks for. */
export type CrowdCommand =
  | { readonly name: 'make'; readonly identities: readonly ClientIdentity[] }
  | { readonly name: 'open' | 'ask' | 'digest' | 'close' | 'countAnew' | 'report' };

/** The answer to each command. */
export interface CrowdReport {
  readonly settled: number;
  readonly attempts: number;
  readonly seen: readonly Seen[];
}

let clients: readonly DeltaClient[] = [];

process.on('message', async (command: CrowdCommand) => {
  if (command.name === 'make') clients = command.identities.map((identity) => new DeltaClient(identity));
  else if (command.name === 'open') for (const client of clients) await client.open();
  else if (command.name === 'ask') for (const client of clients) client.ask();
  else if (command.name === 'digest') for (const client of clients) client.digest();
  else if (command.name === 'close') for (const client of clients) client.close();
  else if (command.name === 'countAnew') for (const client of clients) client.countAnew();
  const report: CrowdReport = {
    settled: clients.filter(({ isSettled }) => isSettled).length,
    attempts: clients.reduce((sum, { attempts }) => sum + attempts, 0),
    seen: clients.map(({ seen }) => seen),
  };
  process.send?.(report);
});
