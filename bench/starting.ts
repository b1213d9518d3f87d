import { existsSync } from 'node:fs';
import { line, ms, ratio } from './measure.ts';
import { wallMs } from './process.ts';

/** The specification's mesh, with one of the policies of its outcome table. */
const inputs = ['topology.yaml', 'policies/namespace-strict.yaml'].map((file) => `examples/first-mesh/${file}`);

/** Start-up of the help and of a small compile beside a bare node, on the node at hand and on Node 24. */
export function starting(): void {
  const nodes = [process.execPath, '.tools/bin/node24'].filter((node) => existsSync(node));
  for (const node of nodes) {
    const bare = wallMs(21, [node, '-e', '0']);
    const help = wallMs(21, [node, 'dist/meshpol.js', '--help']);
    const compile = wallMs(21, [node, 'dist/meshpol.js', 'compile', ...inputs, '--workload', 'foo/httpbin']);
    line(
      node === process.execPath ? `node ${process.version}` : 'node 24',
      `-e 0: ${ms(bare)}`,
      `--help: ${ms(help)}, ${ratio(help / bare)}`,
      `compile: ${ms(compile)}, ${ratio(compile / bare)}`,
    );
  }
}
