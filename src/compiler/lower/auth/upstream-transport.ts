import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import type { ClientTlsSettings } from '../../../policy/destination-rule.ts';
import type { UpstreamHttpIR } from '../../ir/cluster.ts';
import type { Origins } from '../../ir/origin.ts';
import type { UpstreamMeshTls, UpstreamTransport } from '../../ir/tls.ts';
import type { ClientScope, Decided, EffectiveMtlsMode, EffectiveTraffic } from '../../merge/effective.ts';
import type { Service, ServicePort } from '../../topology/model.ts';
import { protocolClass } from '../../topology/protocol.ts';
import type { Lowering } from '../lowering.ts';
import { meshAlpn, meshSni } from '../names.ts';
import { blockOrigins, fieldSpan, joinOrigins } from '../origins.ts';
import { meshTrustDomains } from './downstream-tls.ts';
import { externalTls } from './external-tls.ts';
import { serverIdentities } from './server-identities.ts';

/** One outbound cluster in the making. */
export interface UpstreamTarget {
  readonly scope: ClientScope;
  readonly service: Service;
  readonly port: ServicePort;
  readonly subset: string;
  readonly traffic: EffectiveTraffic;
  readonly serviceMode: Decided<EffectiveMtlsMode>;
  /** The proxy goes where the application wanted to go: no endpoint to choose TLS by. */
  readonly isOriginalDst: boolean;
  readonly http: UpstreamHttpIR;
}

/**
 * The client's TLS towards one service port and subset (rows of the decision table in order): an explicit rule wins over
 * everything; without one, mesh TLS where the server is known to take it.
 */
export function upstreamTransport(target: UpstreamTarget, lowering: Lowering, bag: DiagnosticBag): UpstreamTransport {
  const { tls } = target.traffic.blocks;
  if (tls?.mode !== undefined) return explicitTransport(target, tls, lowering, bag);

  const { service, port, serviceMode } = target;
  if (tls !== undefined) warnOfNoMode(target, bag);
  const rule = blockOrigins(target.traffic, 'tls');
  if (service.isExternal || !lowering.settings.autoMtls) return plaintext(rule);
  const origins = joinOrigins(rule, serviceMode.origins);
  if (serviceMode.value === 'DISABLE') return plaintext(origins);
  const meshTls = upstreamMeshTls(target, {}, lowering);
  if (!target.isOriginalDst) return { kind: 'automatic', tls: meshTls, origins };
  const isMesh = service.facts.ports.get(port.number)?.allHaveSidecar === true;
  return isMesh ? { kind: 'tls', tls: meshTls, origins } : plaintext(origins);
}

function explicitTransport(
  target: UpstreamTarget,
  tls: ClientTlsSettings,
  lowering: Lowering,
  bag: DiagnosticBag,
): UpstreamTransport {
  const origins = blockOrigins(target.traffic, 'tls');
  if (tls.mode === 'DISABLE') return plaintext(origins);
  if (tls.mode === 'MESH_MUTUAL') {
    const meshTls = upstreamMeshTls(target, tls, lowering);
    if (meshTls.serverSans.length === 0 && target.service.facts.ports.size > 0)
      warnOfAnyServer(target, 'the mesh', bag);
    return { kind: 'tls', tls: meshTls, origins };
  }
  const external = externalTls(tls, target.service, target.http);
  const { trustedCa, serverSans, autoSanValidation } = external;
  if (tls.credentialName !== undefined && tls.credentialName !== '') {
    const origin = origins.decidedBy.find(({ field }) => field.includes('tls'));
    const code = target.scope.role === 'sidecar' ? 'credential-name-on-sidecar' : 'credential-name-not-compiled';
    bag.report(code, origin && fieldSpan(origin, 'tls', 'credentialName'), {
      name: tls.credentialName,
      host: target.service.host,
    });
  } else if (trustedCa !== undefined && serverSans.length === 0 && !autoSanValidation) {
    warnOfAnyServer(target, trustedCa === 'system' ? 'the system' : `"${trustedCa.file}"`, bag);
  }
  return { kind: 'tls', tls: external, origins };
}

/** The name in the SNI chooses a certificate; nobody compares it with the one that comes. */
function warnOfAnyServer({ traffic, service }: UpstreamTarget, roots: string, bag: DiagnosticBag): void {
  const origin = traffic.origins.decidedBy.find(({ field }) => field.includes('tls'));
  bag.report('unchecked-server-name', origin && fieldSpan(origin, 'tls'), { host: service.host, roots });
}

function upstreamMeshTls(target: UpstreamTarget, tls: ClientTlsSettings, lowering: Lowering): UpstreamMeshTls {
  const { service, port, subset, scope } = target;
  const { trustDomainAliases, sniffOutbound } = lowering.settings;
  const trustDomains = meshTrustDomains({ trustDomain: scope.trustDomain, trustDomainAliases });
  const identities = tls.subjectAltNames ?? serverIdentities(service, port.number, trustDomains);
  return {
    kind: 'mesh',
    sni: tls.sni === undefined || tls.sni === '' ? meshSni(service.host, port.number, subset) : tls.sni,
    alpn: meshClientAlpn(target, sniffOutbound),
    serverSans: identities.map((value) => ({ kind: 'exact', value })),
  };
}

/**
 * Tells a server that detects protocols what the connection carries. A detected port offers the token for bytes; its
 * HTTP listeners override it. HTTP/1.1 has no public name in the list: the server must not settle the version by ALPN
 * where the request decides it.
 */
function meshClientAlpn({ port, http }: UpstreamTarget, isSniffing: boolean): readonly string[] {
  if (protocolClass(port.protocol, isSniffing) !== 'http') return [meshAlpn.tcp];
  return http.protocol === 'http2' ? [meshAlpn.http2, meshAlpn.tcp, 'h2'] : [meshAlpn.http11, meshAlpn.tcp];
}

/** Without a mode the block says nothing; Istio took it for DISABLE, which would send plaintext unasked. */
function warnOfNoMode({ traffic, service }: UpstreamTarget, bag: DiagnosticBag): void {
  const origin = traffic.origins.decidedBy.find(({ field }) => field.includes('tls'));
  const span = origin && fieldSpan(origin, 'tls');
  bag.report('field-without-effect', span, { field: 'tls', host: service.host, why: 'it has no "mode"' });
}

function plaintext(origins: Origins): UpstreamTransport {
  return { kind: 'plaintext', origins };
}
