import type { DiagnosticBag } from '../diagnostics/bag.ts';
import type { Compilation } from './compilation.ts';

const howToGetAProxy =
  'label its namespace mesh-injection: enabled, or its pod sidecar.mesh.io/inject: "true"; a gateway has a container mesh-proxy that runs "proxy router", or a Gateway that selects it';

/** Reports a compilation without any configuration: that its input lacks something is likelier than that it is meant. */
export function reportNoProxy({ configs }: Pick<Compilation, 'configs'>, bag: DiagnosticBag): void {
  if (configs.length > 0) return;
  const holes = { what: 'the input', thing: 'workload that has a proxy' };
  bag.report('empty-input', undefined, holes, { hint: howToGetAProxy });
}
