import type { Snapshot } from '../../compiler/snapshot.ts';
import { hasLabels } from '../../compiler/topology/selector.ts';
import type { JsonPath } from '../../diagnostics/span.ts';
import type { PeerAuthentication } from '../../policy/peer-authentication.ts';
import type { Rule } from '../rule.ts';
import { decidingScopes } from '../tls/deciding-scopes.ts';
import { meantPort } from '../tls/meant-port.ts';

/** An exception from STRICT that accepts no mutual TLS at all. */
export const rule: Rule = {
  code: 'disabled-below-strict',
  id: 'MP110',
  severity: 'info',
  category: 'peer-authentication',
  direction: 'widens',
  confidence: 'certain',
  kinds: ['PeerAuthentication'],
  needs: 'policies',
  since: '0.1.0',
  title: 'mutual TLS is switched off for a part of a scope that is STRICT',
  why: 'clients of that part have no identity, so rules about identities never match them',
  hint: 'write PERMISSIVE if clients with a sidecar call it too, and apply the exception to as few workloads or ports as possible',
  check({ snapshot, report }) {
    const { peerAuthentications } = snapshot.policies;
    const { rootNamespace } = snapshot.settings;
    const deciding = decidingScopes(peerAuthentications);
    for (const policy of peerAuthentications) {
      const { namespace, spec } = policy;
      if (namespace === rootNamespace) continue;
      const wider = (hasLabels(spec.selector) ? deciding.get(namespace) : undefined) ?? deciding.get(rootNamespace);
      if (wider?.spec.mtls?.mode !== 'STRICT') continue;
      for (const path of disabledIn(policy, snapshot)) {
        report({
          ...{ object: policy, path, message: 'mode DISABLE accepts no mutual TLS, and the wider policy is STRICT' },
          related: [{ object: wider, path: ['spec', 'mtls', 'mode'], message: 'the wider policy' }],
        });
      }
    }
  },
};

/** An entry with a service port in place of a container port switches nothing off. */
function disabledIn(policy: PeerAuthentication, snapshot: Snapshot): JsonPath[] {
  const { mtls, portLevelMtls = {} } = policy.spec;
  const ports = Object.entries(portLevelMtls).filter(
    ([port, { mode }]) => mode === 'DISABLE' && meantPort(port, policy, snapshot) === undefined,
  );
  return [
    ...(mtls?.mode === 'DISABLE' ? [['spec', 'mtls', 'mode']] : []),
    ...ports.map(([port]) => ['spec', 'portLevelMtls', port, 'mode']),
  ];
}
