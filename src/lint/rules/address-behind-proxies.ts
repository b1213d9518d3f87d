import type { Snapshot } from '../../compiler/snapshot.ts';
import type { Workload } from '../../compiler/topology/model.ts';
import { readGatewayTopology } from '../../config/gateway-topology.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { valueAt } from '../../lib/value-at.ts';
import type { JsonObject } from '../../source/document.ts';
import { parse } from '../../source/parse.ts';
import { workloadsByPolicy } from '../authorization/in-force.ts';
import { placedValues } from '../authorization/placed-values.ts';
import { rulesOf } from '../authorization/walk.ts';
import type { Rule } from '../rule.ts';

/** Where proxies stand in front, the connection comes from the last of them. */
export const rule: Rule = {
  code: 'address-behind-proxies',
  id: 'MP421',
  severity: 'warning',
  category: 'authorization',
  direction: 'breaks',
  confidence: 'likely',
  kinds: ['AuthorizationPolicy'],
  needs: 'topology',
  judges: 'each',
  since: '0.1.0',
  title: 'a gateway rule about the address of the connection (ipBlocks, source.ip) behind trusted proxies',
  why: 'the connection comes from the proxy in front of the gateway, so the rule compares the address of that proxy and not of the client',
  hint: 'use "remoteIpBlocks" (or "remote.ip"), which is the client address that the trusted proxies report',
  check({ snapshot, report }) {
    for (const [policy, workloads] of workloadsByPolicy(snapshot)) {
      const behind = workloads.filter((workload) => isBehindProxies(workload, snapshot));
      if (behind.length === 0 || behind.length < workloads.length) continue;
      for (const at of rulesOf([policy])) {
        const found = placedValues(at, /^((i|notI)pBlocks|source\.ip)$/)[0];
        if (found === undefined) continue;
        const message = `"${found.field}" is the address of the proxy in front of the gateway, since numTrustedProxies says that there is one`;
        report({ object: policy, path: found.path, message });
      }
    }
  },
};

/** By the pod's own annotation, else by the settings; the PROXY protocol tells the gateway the address of the client. */
function isBehindProxies({ role, annotations }: Workload, { settings }: Snapshot): boolean {
  if (role !== 'router') return false;
  const text = annotations['proxy.mesh.io/config'] ?? '';
  const [own] = parse([{ path: 'annotation', text }], new DiagnosticBag());
  const value = valueAt(own?.value, ['gatewayTopology']);
  const topology = isMapping(value) ? readGatewayTopology(value) : settings.proxy.gatewayTopology;
  return topology.numTrustedProxies > 0 && !topology.hasProxyProtocol;
}

function isMapping(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
