import type { Fragment } from '../../envoy/api/fragment.ts';
import { expectList, expectValue, type Lose } from './expect.ts';

/** One cluster, or several with their weights, as a filter or route names them in `cluster` and `weighted_clusters`. */
export function shareLosses(
  at: Fragment,
  ir: {
    readonly cluster: string;
    readonly weightedClusters?: readonly { readonly cluster: string; readonly weight: number }[] | undefined;
  },
  lose: Lose,
): void {
  const weighted = at.at('weighted_clusters');
  if (ir.weightedClusters === undefined) {
    expectValue(at.at('cluster'), ir.cluster, lose);
    if (weighted.exists) lose(weighted, 'no rule asks for weighted_clusters');
    return;
  }
  const shares = weighted
    .at('clusters')
    .items.map((item) => `${String(item.at('name').value)} ${String(item.at('weight').value)}`);
  const wanted = ir.weightedClusters.map(({ cluster, weight }) => `${cluster} ${weight}`);
  expectList(weighted.at('clusters'), shares, wanted, lose);
  if (at.at('cluster').exists) lose(at.at('cluster'), 'no rule asks for one cluster');
}
