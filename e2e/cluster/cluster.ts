import { delay } from '../../src/lib/abort.ts';
import { createDemoReport } from '../demo/demo-report.ts';
import { type OutcomeRow, outcomeCells, outcomeRows } from '../mesh/outcome-table.ts';
import { AppliedFile } from './applied-file.ts';
import { type ClusterMesh, createClusterMesh } from './cluster-mesh.ts';
import { changes, expected, type Outcomes, tryAll, tryUntil } from './outcomes.ts';

/**
 * `make cluster`: a Kubernetes API server, meshd and the mesh of examples/first-mesh, whose policies are applied with kubectl.
 * Then it stays, and shows each outcome that changes, until Ctrl-C. Exit 1 when an outcome is not as specified.
 */
const example = 'examples/first-mesh';
const everyMs = 500;
const cells = outcomeCells(outcomeRows[0] as OutcomeRow);
const report = createDemoReport();
const stopping = new AbortController();
// Everything below ends with this process; the handlers let it tidy up before.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

const mesh = await createClusterMesh(example, (step) => report.step(step));
try {
  const differing = await applyAll(mesh);
  report.step(differing === 0 ? 'every outcome is as specified' : `${differing} outcomes differ`);
  process.exitCode = differing === 0 ? 0 : 1;
  report.say('');
  report.say('The cluster stays until Ctrl-C. In another terminal:');
  report.say(`  export KUBECONFIG=${mesh.kubeconfig} PATH="${process.cwd()}/.tools/bin:$PATH"`);
  report.say(`  kubectl apply -f ${example}/policies/mesh-strict.yaml`);
  report.say('  kubectl get peerauthentications -A');
  report.say('Outcomes, and each that changes:');
  await watch(mesh, stopping.signal);
} finally {
  report.step('ending');
  await mesh.close();
}

/** Applies the policies of each row with kubectl and deletes them again; gives the number of outcomes that differ. */
async function applyAll(mesh: ClusterMesh): Promise<number> {
  let differing = 0;
  for (const row of outcomeRows) {
    const policies =
      row.file === undefined ? undefined : await AppliedFile.read(mesh, `${example}/policies/${row.file}`);
    if (policies === undefined) report.step(row.title);
    else report.step(`kubectl apply -f ${policies.path}: at every proxy ${await policies.apply()} ms later`);
    const rowCells = outcomeCells(row);
    const should = expected(rowCells);
    const seen = await tryUntil(should, mesh.testbed, rowCells);
    for (const [request, outcome] of should) {
      const is = seen.get(request) ?? '';
      report.cell(is === outcome, request, outcome, is, []);
      differing += is === outcome ? 0 : 1;
    }
    await policies?.remove();
  }
  return differing;
}

/** Shows outcomes whenever one is another than before, until it is to stop. */
async function watch({ testbed }: ClusterMesh, signal: AbortSignal): Promise<void> {
  let shown: Outcomes = new Map();
  while (!signal.aborted) {
    const now = await tryAll(testbed, cells);
    const lines = changes(shown, now);
    if (lines.length > 0) report.step(`${lines.length === 1 ? 'one outcome' : `${lines.length} outcomes`}:`);
    for (const line of lines) report.say(line);
    shown = now;
    await delay(everyMs, signal).catch(() => undefined);
  }
}
