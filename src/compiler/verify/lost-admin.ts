import type { Fragment } from '../../envoy/api/fragment.ts';
import type { BootstrapIR } from '../ir/proxy.ts';
import type { Lose } from './expect.ts';

/** What everybody may read of Envoy and of the agent. */
const openPaths: ReadonlySet<unknown> = new Set(['/healthz/ready', '/ready', '/stats/prometheus']);

/**
 * Listeners of the bootstrap that others than this machine reach lead to the admin interface, and to the agent, by exact
 * paths alone: either takes what comes from loopback for its owner's word (CVE-2025-24030 was such a listener).
 */
export function adminRouteLosses(bootstrap: Fragment, { adminPort, statusPort }: BootstrapIR, lose: Lose): void {
  const admin = bootstrap.at('admin', 'address');
  const ports = [adminPort, statusPort, admin.at('socket_address', 'port_value').value];
  const isOwn = (address: Fragment): boolean =>
    (admin.at('pipe').exists && address.at('pipe', 'path').value === admin.at('pipe', 'path').value) ||
    (isLoopback(address) && ports.includes(address.at('socket_address', 'port_value').value));
  const resources = bootstrap.at('static_resources');
  const own = new Set(
    resources
      .at('clusters')
      .items.filter((cluster) => addressesOf(cluster).some(isOwn))
      .map((cluster) => cluster.at('name').value),
  );
  for (const listener of resources.at('listeners').items) {
    const address = listener.at('address');
    if (isLoopback(address) || address.at('pipe').exists) continue;
    visit(listener, (field, node) => {
      if (!own.has(field.value) || !namesCluster(field) || isOpen(node, field)) return;
      lose(field, `it leads everybody to ${JSON.stringify(field.value)} by more than ${[...openPaths].join(', ')}`);
    });
  }
}

/** Names of other things may be the same. */
function namesCluster({ path }: Fragment): boolean {
  const fields = path.filter((step) => typeof step === 'string');
  const [key = ''] = fields.slice(-1);
  return key === 'cluster' || key === 'cluster_name' || (key === 'name' && fields.includes('weighted_clusters'));
}

function addressesOf(cluster: Fragment): readonly Fragment[] {
  const groups = cluster.at('load_assignment', 'endpoints').items;
  return groups
    .flatMap((group) => group.at('lb_endpoints').items)
    .map((member) => member.at('endpoint', 'address'))
    .filter(({ exists }) => exists);
}

function isLoopback(address: Fragment): boolean {
  return /^(127\.\d+\.\d+\.\d+|::1|localhost\.?)$/.test(String(address.at('socket_address', 'address').value));
}

/** Whether the field is the cluster of a route whose match is one open path. */
function isOpen(ancestors: readonly Fragment[], field: Fragment): boolean {
  const [action, route] = ancestors;
  return (
    route?.at('route').value === action?.value &&
    action?.at('cluster').value === field.value &&
    openPaths.has(route?.at('match', 'path').value) &&
    !route?.at('match').fields.includes('prefix')
  );
}

/** Every text below `at` with the messages around it, the innermost first. */
function visit(
  at: Fragment,
  see: (field: Fragment, ancestors: readonly Fragment[]) => void,
  around: Fragment[] = [],
): void {
  for (const item of at.items) visit(item, see, around);
  const fields = at.fields;
  const inside = fields.length > 0 ? [at, ...around] : around;
  for (const name of fields) {
    const field = at.at(name);
    if (typeof field.value === 'string') see(field, inside);
    else visit(field, see, inside);
  }
}
