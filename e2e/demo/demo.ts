import { demoEdge } from './demo-edge.ts';
import { demoFirstMesh } from './demo-first-mesh.ts';
import { createDemoReport } from './demo-report.ts';

/**
 * `make demo`: the specification's outcome table, then its tokens at a gateway, on real Envoys. Exit 1 when a cell
 * differs. `demo.ts first-mesh|edge [FOLDER]` shows one of them, of another folder than examples/… Ctrl-C needs no
 * handler: the testbed cannot outlive this process.
 */
const parts = { 'first-mesh': demoFirstMesh, edge: demoEdge };
const [wanted, folder] = process.argv.slice(2);
const report = createDemoReport();
let differing = 0;
for (const [name, show] of Object.entries(parts)) {
  if (wanted === undefined || wanted === name) differing += await show(folder ?? `examples/${name}`, report);
}
report.say('');
report.step(differing === 0 ? 'every cell is as specified' : `${differing} cells differ`);
process.exitCode = differing === 0 ? 0 : 1;
