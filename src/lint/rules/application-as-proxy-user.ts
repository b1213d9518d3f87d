import type { JsonPath } from '../../diagnostics/span.ts';
import { containerAlias } from '../../policy/alias.ts';
import type { MeshObject } from '../../policy/object.ts';
import { at, podSpecPath } from '../pod-spec.ts';
import type { Rule } from '../rule.ts';

/** The user of the proxy, whose own connections are let through. */
const proxyUser = 1337;

/** Connections are captured by their user: those of the proxy go out as they are. */
export const rule: Rule = {
  code: 'application-as-proxy-user',
  id: 'MP807',
  peers: ['IST0144'],
  severity: 'warning',
  category: 'agent',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job'],
  needs: 'topology',
  since: '0.1.0',
  title: 'an application that runs with the user ID of the proxy',
  why: 'traffic of that user ID is not redirected to the proxy: connections of the application have no mutual TLS, and no policy applies to them',
  hint: 'run the container with another user ID',
  check({ snapshot, report }) {
    const objects = snapshot.topology.workloads.flatMap(({ role, object }) => (role === 'sidecar' ? [object] : []));
    for (const object of new Set(objects)) {
      for (const { name, path } of containersOf(object)) {
        const message = `container "${name}" runs as user ${proxyUser}, which is that of the proxy`;
        report({ object, path, message });
      }
    }
  },
};

/** Containers of applications that run as the proxy's user, with the field that says so. */
function containersOf(object: MeshObject<string>): readonly { readonly name: string; readonly path: JsonPath }[] {
  const root = podSpecPath(object);
  const ofPod = [...root, 'securityContext', 'runAsUser'];
  const containers = at(object, [...root, 'containers']);
  return (Array.isArray(containers) ? containers : []).flatMap((_, i) => {
    const name = String(at(object, [...root, 'containers', i, 'name']));
    if (containerAlias(name) === 'mesh-proxy') return [];
    const own = [...root, 'containers', i, 'securityContext', 'runAsUser'];
    const path = at(object, own) === undefined ? ofPod : own;
    return at(object, path) === proxyUser ? [{ name, path }] : [];
  });
}
