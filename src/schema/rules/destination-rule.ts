import type { JsonPath } from '../../diagnostics/span.ts';
import type { ClientTlsSettings, DestinationRule, TrafficBlocks } from '../../policy/destination-rule.ts';
import type { Report, Rule } from '../rule.ts';
import { quotedList } from '../words.ts';
import { checkCertificateFiles } from './certificate-files.ts';
import { checkZeros } from './idle-zeros.ts';
import { checkLocalityLoadBalancing } from './locality.ts';

/** Validation of DestinationRule beyond its schema. */
export const destinationRuleRules: readonly Rule<DestinationRule>[] = [
  checkSubsetNames,
  checkRepeatedPorts,
  checkSelectorExport,
  (rule, report) => eachBlocks(rule, (blocks, path) => checkOutlierDetection(blocks, path, report)),
  (rule, report) => eachBlocks(rule, (blocks, path) => checkMaglev(blocks, path, report)),
  (rule, report) => eachBlocks(rule, (blocks, path) => checkZeros(blocks, path, report)),
  (rule, report) => eachBlocks(rule, (blocks, path) => checkLocality(blocks, path, report)),
  (rule, report) => eachBlocks(rule, (blocks, path) => checkClientTls(rule, blocks.tls, [...path, 'tls'], report)),
];

function checkSubsetNames({ spec }: DestinationRule, report: Report): void {
  const seen = new Set<string>();
  for (const [i, { name }] of (spec.subsets ?? []).entries()) {
    if (seen.has(name)) report('repeated-subset', ['spec', 'subsets', i, 'name'], { name });
    seen.add(name);
  }
}

/** The first entry would hold and the second be lost without a word: its TLS mode too. */
function checkRepeatedPorts({ spec }: DestinationRule, report: Report): void {
  for (const { policy, path } of policyLevels(spec)) {
    const seen = new Set<number>();
    for (const [i, { port }] of (policy.portLevelSettings ?? []).entries()) {
      const field = [...path, 'portLevelSettings', i, 'port', 'number'];
      if (seen.has(port.number)) report('repeated-port', field, { port: String(port.number) });
      seen.add(port.number);
    }
  }
}

/** A rule for some workloads of its namespace means nothing to those of others. */
function checkSelectorExport({ spec, namespace }: DestinationRule, report: Report): void {
  const isWide = (spec.exportTo ?? []).some((entry) => entry !== '.' && entry !== namespace);
  if (spec.workloadSelector !== undefined && isWide) report('wide-export-with-selector', ['spec', 'exportTo'], {});
}

function checkOutlierDetection({ outlierDetection }: TrafficBlocks, path: JsonPath, report: Report): void {
  if (!outlierDetection?.consecutiveLocalOriginFailures || outlierDetection.splitExternalLocalOriginErrors) return;
  const field = [...path, 'outlierDetection', 'consecutiveLocalOriginFailures'];
  report('local-origin-failures-not-split', field, {}, { part: 'key' });
}

/** Envoy's Maglev table wants a prime size of at most 5000011. */
function checkMaglev({ loadBalancer }: TrafficBlocks, path: JsonPath, report: Report): void {
  const size = loadBalancer?.consistentHash?.maglev?.tableSize;
  if (size === undefined || (size < 5_000_011 && isPrime(size))) return;
  const field = [...path, 'loadBalancer', 'consistentHash', 'maglev', 'tableSize'];
  report('invalid-maglev-table-size', field, { value: String(size) });
}

function checkLocality({ loadBalancer }: TrafficBlocks, path: JsonPath, report: Report): void {
  const setting = loadBalancer?.localityLbSetting;
  if (setting !== undefined) {
    checkLocalityLoadBalancing(setting, [...path, 'loadBalancer', 'localityLbSetting'], report);
  }
}

/** Whether a host is written like those of services of the cluster, which have certificates of the mesh. */
function isOfCluster(host: string): boolean {
  return !host.includes('.') || /(^|\.)(local|svc)$/.test(host);
}

function checkClientTls(
  { spec: { host } }: DestinationRule,
  tls: ClientTlsSettings | undefined,
  path: JsonPath,
  report: Report,
): void {
  if (tls === undefined) return;
  checkCertificateFiles(tls, path, report);
  const { mode, credentialName } = tls;
  const conflict = (one: string, ...others: readonly (keyof ClientTlsSettings)[]): void => {
    const beside = others.filter((field) => tls[field] && !(Array.isArray(tls[field]) && tls[field].length === 0));
    const [first] = beside;
    if (first === undefined) return;
    const excluded = quotedList(beside, 'and');
    const holes = { fields: quotedList([one, ...beside], 'and'), where: '"tls"' };
    const hint = `keep "${one}", or ${excluded} without it`;
    report('conflicting-fields', [...path, first], holes, { part: 'key', hint });
  };
  if (credentialName && (mode === 'SIMPLE' || mode === 'MUTUAL')) {
    conflict('credentialName', 'clientCertificate', 'privateKey', 'caCertificates');
  }
  if (mode === 'MUTUAL' && !credentialName) {
    const absent = (['clientCertificate', 'privateKey'] as const).find((field) => !tls[field]);
    const hint =
      isOfCluster(host) && !tls.clientCertificate && !tls.privateKey
        ? 'write mode MESH_MUTUAL (in objects of Istio: ISTIO_MUTUAL) to use the certificates of the mesh, or set "clientCertificate" and "privateKey"'
        : undefined;
    if (absent !== undefined) report('incomplete-client-certificate', [...path, 'mode'], { field: absent }, { hint });
  }
  if (tls.insecureSkipVerify) {
    conflict('insecureSkipVerify', 'caCertificates', 'subjectAltNames');
  }
}

/** Every level of the rule that sets blocks: the host, its ports, each subset, its ports. */
function eachBlocks({ spec }: DestinationRule, visit: (blocks: TrafficBlocks, path: JsonPath) => void): void {
  for (const { policy, path } of policyLevels(spec)) {
    visit(policy, path);
    for (const [i, port] of (policy.portLevelSettings ?? []).entries()) visit(port, [...path, 'portLevelSettings', i]);
  }
}

/** The traffic policies of the host and of its subsets. */
function policyLevels({ trafficPolicy, subsets = [] }: DestinationRule['spec']) {
  const levels = [
    { policy: trafficPolicy, path: ['spec', 'trafficPolicy'] as JsonPath },
    ...subsets.map((subset, i) => ({ policy: subset.trafficPolicy, path: ['spec', 'subsets', i, 'trafficPolicy'] })),
  ];
  return levels.flatMap(({ policy, path }) => (policy === undefined ? [] : [{ policy, path }]));
}

function isPrime(value: number): boolean {
  if (value < 2) return false;
  for (let divisor = 2; divisor * divisor <= value; divisor++) if (value % divisor === 0) return false;
  return true;
}
