import { delay } from '../../src/lib/abort.ts';
import { formatCounts, merged, total } from '../load/counts.ts';
import { type RunningLoad, startLoad } from '../load/load.ts';
import { type Arrivals, arrivalsOf, versionOf } from './arrivals.ts';
import { createDemoReport, type DemoReport } from './demo-report.ts';
import { changeWhileAway, type FleetChange, fleetChanges } from './fleet-changes.ts';
import { createFleetMesh, drainSeconds, type FleetMesh, gateway, shops } from './fleet-mesh.ts';

/**
 * `make demo-fleet`: meshd, a gateway and ten sidecars; policies are edited, and a table shows when each change had reached
 * each proxy. meshd is killed and started again while requests go on. Exit 1 when an outcome differs or a request fails.
 */
const proxies = shops.length + 1;
const report = createDemoReport();
report.say('A fleet: meshd, a gateway, ten sidecars in namespace shop, and a client outside.');
const fleet = await createFleetMesh((step) => report.step(step));
try {
  process.exitCode = (await demonstrate(fleet, report)) === 0 ? 0 : 1;
} finally {
  await fleet.close();
}

/** Gives the number of outcomes and requests that are not as they should be. */
async function demonstrate(fleet: FleetMesh, report: DemoReport): Promise<number> {
  report.step('requests: frontend calls the nine others, the client outside calls frontend through the gateway');
  const loads = await startTraffic(fleet);
  const columns = new Map<string, Arrivals>();
  let differing = 0;
  for (const change of fleetChanges) {
    differing += await showOutcome(fleet, report, change, 'before');
    columns.set(change.short, await arrivesOf(fleet, change, () => fleet.edit(change.file, [change.content])));
    report.step(`${change.title}: ${change.file} is in force at every proxy`);
    differing += await showOutcome(fleet, report, change, 'after');
  }
  const away = changeWhileAway;
  const before = await versionOf(fleet, away.object);
  await fleet.plane.kill();
  await fleet.edit(away.file, [away.content]);
  report.step(`meshd is killed, and ${away.file} edited: ${away.title}`);
  await delay(2_000);
  differing += await showOutcome(fleet, report, away, 'before');
  const restart = { before, proxies, change: () => fleet.plane.start() };
  columns.set(away.short, await arrivalsOf(fleet, away.object, restart));
  report.step('meshd is back, and the change is in force at every proxy');
  differing += await showOutcome(fleet, report, away, 'after');
  showTable(report, columns);
  const counts = merged(await Promise.all(loads.map((load) => load.stop())));
  report.say(formatCounts('Requests all the while', counts));
  const { requests, failed } = total(counts);
  report.step(
    differing + failed === 0 && requests > 0
      ? 'every outcome is as expected, and no request failed'
      : `${differing} outcomes differ, ${failed} of ${requests} requests failed`,
  );
  return requests === 0 ? 1 : differing + failed;
}

/** Calls that every change leaves allowed. */
async function startTraffic({ testbed: { sandbox } }: FleetMesh): Promise<readonly RunningLoad[]> {
  const others = shops.filter((name) => name !== 'frontend').map((name) => ({ host: `${name}.shop`, port: 8000 }));
  const order = { path: '/ip', lines: 3, perSecond: 10 };
  return Promise.all([
    startLoad(sandbox, { ...order, network: 'shop-frontend', targets: others }),
    startLoad(sandbox, { ...order, network: 'outside-client', targets: [gateway] }),
  ]);
}

async function arrivesOf(fleet: FleetMesh, { object }: FleetChange, change: () => Promise<void>): Promise<Arrivals> {
  return arrivalsOf(fleet, object, { before: await versionOf(fleet, object), proxies, change });
}

/** Makes the request of a change; gives 1 when its status is another than expected, else 0. */
async function showOutcome(
  { testbed }: FleetMesh,
  report: DemoReport,
  { request, ...change }: FleetChange,
  when: 'before' | 'after',
): Promise<number> {
  // A connection that its proxy keeps open may be judged by the policies of before for so long.
  if (when === 'after') await delay(drainSeconds * 1_000 + 200);
  const { status } = await testbed.request(request);
  const isAsExpected = status === change[when];
  const what = `${request.from} -> ${request.to}${request.path ?? '/ip'}`;
  report.cell(isAsExpected, what, change[when], status, []);
  return isAsExpected ? 0 : 1;
}

/** One line a proxy, one column a change: milliseconds until the proxy had acknowledged it. */
function showTable(report: DemoReport, columns: ReadonlyMap<string, Arrivals>): void {
  const names = [...new Set([...columns.values()].flatMap((arrivals) => [...arrivals.keys()]))].sort();
  const cells = (texts: readonly string[]): string => texts.map((text) => text.padStart(14)).join('');
  report.say('');
  report.say('Milliseconds from an edit to the acknowledgement of each proxy (last column: from the start of meshd):');
  report.say(`  ${'proxy'.padEnd(28)}${cells([...columns.keys()])}`);
  for (const name of names) {
    const times = [...columns.values()].map((arrivals) => `${arrivals.get(name) ?? '-'} ms`);
    report.say(`  ${name.padEnd(28)}${cells(times)}`);
  }
  report.say('');
}
