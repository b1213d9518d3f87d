import { line, ms, ratio } from './measure.ts';
import { nodes } from './nodes.ts';
import { wallMs } from './process.ts';

/** The specification's mesh, with one of the policies of its outcome table. */
const inputs = ['topology.yaml', 'policies/namespace-strict.yaml'].map((file) => `examples/first-mesh/${file}`);

/** Start-up of the help and of a small compile beside a bare node, on each Node. */
export function starting(): void {
  for (const { name, path } of nodes) {
    const bare = wallMs(21, [path, '-e', '0']);
    const help = wallMs(21, [path, 'dist/meshpol.js', '--help']);
    const compile = wallMs(21, [path, 'dist/meshpol.js', 'compile', ...inputs, '--workload', 'foo/httpbin']);
    line(
      name,
      `-e 0: ${ms(bare)}`,
      `--help: ${ms(help)}, ${ratio(help / bare)}`,
      `compile: ${ms(compile)}, ${ratio(compile / bare)}`,
    );
  }
}
