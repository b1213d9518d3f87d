import { unusedVariables } from '../../config/unused-settings.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { formatPath } from '../../diagnostics/json-path.ts';
import type { SourceSpan } from '../../diagnostics/span.ts';
import { validateConfiguration } from '../../schema/validate-configuration.ts';
import type { JsonObject } from '../../source/document.ts';
import { parse } from '../../source/parse.ts';
import { annotationPath } from '../topology/annotation-path.ts';
import type { Workload } from '../topology/model.ts';
import { nameOf } from '../topology/object-name.ts';

/** The annotation that holds a ProxyConfig of one pod. */
export const configAnnotation = 'proxy.mesh.io/config';

/** Of a workload, what the annotation and its place stand in. */
type AnnotatedWorkload = Pick<Workload, 'annotations' | 'name' | 'namespace' | 'object' | 'role'>;

/** What the compiler takes of the annotation, beside what stands in front of a gateway. */
interface AnnotatedConfig {
  readonly concurrency?: number;
  readonly proxyMetadata?: Readonly<Record<string, string>>;
}

/**
 * Nothing of an annotation with a mistake, which is an error. What stands in front of a gateway is checked where gateways
 * are (`gatewayTopologyOf`), which tells of an annotation that cannot be read, too.
 */
export function annotatedConfig(workload: AnnotatedWorkload, bag: DiagnosticBag): AnnotatedConfig {
  const text = workload.annotations[configAnnotation];
  if (text === undefined || text.trim() === '') return {};
  const isRouter = workload.role === 'router';
  const own = new DiagnosticBag();
  const [document, second] = parse([{ path: `annotation ${configAnnotation}`, text }], own);
  if (second !== undefined) own.report('second-document', second.start, { what: 'the proxy configuration' });
  if (document === undefined || own.hasErrors) {
    if (!isRouter) reportFault(workload, own, bag);
    return {};
  }
  const { concurrency, proxyMetadata, gatewayTopology = null } = document.value;
  const picked = { concurrency, proxyMetadata, ...(isRouter ? {} : { gatewayTopology }) };
  const value = Object.fromEntries(
    Object.entries(picked).filter(([, it]) => it !== undefined && it !== null),
  ) as JsonObject;
  const part = { file: document.file, start: document.start, value, spanOf: () => document.start };
  if (!validateConfiguration('ProxyConfig', part, own)) {
    reportFault(workload, own, bag);
    return {};
  }
  const unused = unusedVariables(value).map((path) => `"${formatPath(path)}"`);
  if (unused.length > 0) {
    const kind = `annotation ${configAnnotation} of "${nameOf(workload)}"`;
    bag.report('settings-without-effect', annotationSpan(workload), { kind, fields: unused.join(', ') });
  }
  return value as AnnotatedConfig;
}

/** Reports the first of the errors that were found in the annotation. */
export function reportFault(workload: AnnotatedWorkload, { all }: DiagnosticBag, bag: DiagnosticBag): void {
  const fault = all.find(({ severity }) => severity === 'error');
  if (fault === undefined) return;
  const holes = { workload: nameOf(workload), reason: fault.message };
  bag.report('invalid-proxy-config', annotationSpan(workload), holes);
}

/** Where the annotation stands. */
export function annotationSpan({ object }: Pick<Workload, 'object'>): SourceSpan {
  return object.document.spanOf(annotationPath(object, configAnnotation), 'key');
}
