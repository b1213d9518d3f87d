import type { Snapshot } from '../../compiler/snapshot.ts';
import { hasLabels } from '../../compiler/topology/selector.ts';
import type { ClientTlsSettings } from '../../policy/destination-rule.ts';
import type { MtlsMode } from '../../policy/peer-authentication.ts';
import type { Rule } from '../rule.ts';
import { type AcceptedMode, AcceptedModes } from '../tls/accepted-mode.ts';
import { type ClientTls, clientTlsOf } from '../tls/client-tls.ts';
import { hostOf, rulesAlone, servedFor } from '../tls/served-ports.ts';

/** Client and server are set by two objects, and the input shows that they do not agree. */
export const rule: Rule = {
  code: 'client-tls-refused',
  id: 'MP211',
  peers: ['KIA0207', 'KIA0208'],
  severity: 'warning',
  category: 'client-tls',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['DestinationRule'],
  needs: 'policies',
  since: '0.1.0',
  title: 'TLS settings of clients that the PeerAuthentication of the servers contradicts',
  why: 'client and server do not agree on what they speak, so every call to workloads with a sidecar fails',
  hint: 'remove "tls", so that clients choose automatically, or change the mode of the PeerAuthentication',
  check({ snapshot, report, skip }) {
    const modes = new AcceptedModes(snapshot);
    for (const at of clientTlsOf(rulesAlone(snapshot))) {
      const { rule, tls, path } = at;
      const accepted = acceptedBy(at, snapshot, modes);
      if (accepted === undefined) skip(rule);
      const sent = accepted && refused(tls, accepted.mode);
      if (accepted === undefined || sent === undefined) continue;
      const hint = hintFor(tls, accepted);
      const takes = accepted.mode === 'STRICT' ? 'only mutual TLS of the mesh' : 'no mutual TLS';
      report({
        ...{ object: rule, path: [...path, 'mode'] },
        message: `mode ${tls.mode} sends ${sent} to "${hostOf(rule, snapshot)}", which accepts ${takes}`,
        hint,
        related: accepted.policy
          ? [{ object: accepted.policy, path: ['spec', 'mtls', 'mode'], message: 'the mode of the servers' }]
          : [],
      });
    }
  },
};

/** What repairs the calls, and weakens no more than it must. */
function hintFor({ mode }: ClientTlsSettings, { policy }: Partial<AcceptedMode>): string | undefined {
  // No mode of the servers takes it.
  if (mode === 'SIMPLE') return 'remove "tls", so that clients choose automatically, or write mode MESH_MUTUAL';
  if (mode !== 'MESH_MUTUAL') return undefined;
  // Clients that choose automatically do not know of a mode that holds for some workloads of a namespace alone.
  return policy !== undefined && !hasLabels(policy.spec.selector)
    ? 'remove "tls", so that clients choose automatically, or let the servers accept mutual TLS: mode PERMISSIVE of the PeerAuthentication'
    : 'write mode DISABLE here, or let the servers accept mutual TLS: mode PERMISSIVE of the PeerAuthentication';
}

/** What the mode refuses of what the settings send; undefined where nothing is. */
function refused({ mode }: ClientTlsSettings, accepted: MtlsMode): string | undefined {
  if (accepted === 'DISABLE') return mode === 'MESH_MUTUAL' ? 'mutual TLS' : undefined;
  if (accepted !== 'STRICT') return undefined;
  if (mode === 'DISABLE') return 'plain text';
  return mode === 'SIMPLE' ? 'TLS without a client certificate' : undefined;
}

/** The mode of all workloads behind the host, if they have one in common. */
function acceptedBy(
  { rule, tls, isForPort }: ClientTls,
  snapshot: Snapshot,
  modes: AcceptedModes,
): (Pick<AcceptedMode, 'mode'> & Partial<AcceptedMode>) | undefined {
  const all = servedFor(rule, snapshot);
  if (all.length === 0) return modes.of(rule);
  // Another rule says this, where the input has the workloads.
  if (tls.mode === 'DISABLE') return undefined;
  const served = all.filter(({ target }) => isForPort(target.port.number));
  const found = served.map(({ workload, target }) => {
    const { mode, ports } = snapshot.effective.inbound(workload);
    return workload.role === 'none' ? undefined : (ports.get(target.targetPort) ?? mode).value;
  });
  const [mode] = found;
  return mode !== undefined && found.every((other) => other === mode) ? { mode } : undefined;
}
