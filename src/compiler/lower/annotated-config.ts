import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { validateConfiguration } from '../../schema/validate.ts';
import type { JsonObject } from '../../source/document.ts';
import { parse } from '../../source/parse.ts';
import type { Workload } from '../topology/model.ts';

/** The annotation that holds a ProxyConfig of one pod. */
export const configAnnotation = 'proxy.mesh.io/config';

/** What the compiler takes of the annotation, beside what stands in front of a gateway. */
interface AnnotatedConfig {
  readonly concurrency?: number;
  readonly proxyMetadata?: Readonly<Record<string, string>>;
}

/** Nothing of an annotation with a mistake: the agent beside the workload reads it too, and does not start. */
export function annotatedConfig({ annotations }: Workload): AnnotatedConfig {
  const text = annotations[configAnnotation];
  if (text === undefined || text.trim() === '') return {};
  const bag = new DiagnosticBag();
  const [document] = parse([{ path: `annotation ${configAnnotation}`, text }], bag);
  if (document === undefined || bag.hasErrors) return {};
  const { concurrency, proxyMetadata } = document.value;
  const value = Object.fromEntries(
    Object.entries({ concurrency, proxyMetadata }).filter(([, it]) => it !== undefined && it !== null),
  ) as JsonObject;
  const picked = { file: document.file, start: document.start, value, spanOf: () => document.start };
  return validateConfiguration('ProxyConfig', picked, bag) ? (value as AnnotatedConfig) : {};
}
