import { createAnalyser } from '../../compiler/analyse.ts';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { Finding } from '../finding.ts';
import { lint } from '../lint.ts';

/** An AuthorizationPolicy of namespace `shop`; `spec` as YAML in one line. */
export const policy = (name: string, spec: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;

/** The findings with one code about documents of one file. */
export function findingsOf(code: string, trustDomain: string, ...documents: readonly string[]): readonly Finding[] {
  const bag = new DiagnosticBag();
  const objects = createObjectReader()([{ path: 'a.yaml', text: documents.join('---\n') }], bag);
  const snapshot = createAnalyser({ ...defaultSettings, trustDomain })(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  return lint(snapshot).findings.filter((finding) => finding.code === code);
}

/** The hints of the findings with one code about documents of one file. */
export function hintsOf(code: string, trustDomain: string, ...documents: readonly string[]) {
  return findingsOf(code, trustDomain, ...documents).map(({ hint }) => hint);
}
