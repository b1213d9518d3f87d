import type { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { ProxyConfig } from '../../policy/proxy-config.ts';
import type { Topology } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';
import type { ProxyConfigIndex } from './proxy-config-index.ts';

/** Reports ProxyConfigs that others of their level shut out. */
export function checkProxyConfigs(
  index: ProxyConfigIndex,
  { workloads }: Topology,
  rootNamespace: string,
  bag: DiagnosticBag,
): void {
  for (const [namespace, configs] of index.whole) {
    reportIgnored(configs, namespace === rootNamespace ? 'the mesh' : `namespace "${namespace}"`, bag);
  }
  if (!index.hasSelecting) return;
  const told = new Set<ProxyConfig>();
  for (const workload of workloads) {
    const { workload: configs } = index.levelsOf(workload);
    const [kept, ...ignored] = configs;
    const fresh = ignored.filter((config) => !told.has(config));
    if (kept === undefined || fresh.length === 0) continue;
    for (const config of fresh) told.add(config);
    reportIgnored([kept, ...fresh], `workload "${nameOf(workload)}"`, bag);
  }
}

function reportIgnored([kept, ...ignored]: readonly ProxyConfig[], where: string, bag: DiagnosticBag): void {
  if (kept === undefined) return;
  for (const config of ignored) {
    const holes = { ignored: nameOf(config), kept: nameOf(kept), where };
    const related = [{ message: 'the one that applies', span: kept.document.spanOf(['metadata', 'name']) }];
    bag.report('competing-proxy-configs', config.document.spanOf(['metadata', 'name']), holes, { related });
  }
}
