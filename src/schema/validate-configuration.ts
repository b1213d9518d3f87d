import { DiagnosticBag } from '../diagnostics/bag.ts';
import { meshConfig, policyTest, projectFile, proxyConfig } from '../generated/configuration-validators.js';
import type { PolicyDocument } from '../source/document.ts';
import { holdsSchema } from './explain.ts';
import { reporter } from './rule.ts';
import { checkMeshConfig } from './rules/mesh-config.ts';
import type { SchemaValidator } from './validator.ts';

/** What is no object, with neither kind nor name. */
export type ConfigurationKind = 'MeshConfig' | 'ProxyConfig' | 'ProjectFile' | 'PolicyTest';

const configurationSchemas: Readonly<Record<ConfigurationKind, SchemaValidator>> = {
  MeshConfig: meshConfig,
  ProxyConfig: proxyConfig,
  ProjectFile: projectFile,
  PolicyTest: policyTest,
};

/** Checks a configuration, which is no object. */
export function validateConfiguration(kind: ConfigurationKind, document: PolicyDocument, bag: DiagnosticBag): boolean {
  if (!holdsSchema(configurationSchemas[kind], document, kind, bag)) return false;
  const own = new DiagnosticBag();
  if (kind === 'MeshConfig') checkMeshConfig(document.value, reporter(document, own));
  bag.addAll(own.all);
  return !own.hasErrors;
}
