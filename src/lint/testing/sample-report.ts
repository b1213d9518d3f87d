import { createAnalyser } from '../../compiler/analyse.ts';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { lint } from '../lint.ts';
import { partialInput } from '../partial-input.ts';
import { type LintReport, reportOf } from '../report.ts';

/** Two findings, one with a fix and one with a related place, in a file whose name and values hold markup of every form. */
const text = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  rules:
    - to:
        - operation: {methods: [get], paths: ['/a<b>&"|\`*']}
    - to:
        - operation: {methods: [get], paths: ['/a<b>&"|\`*']}
      from:
        - source: {namespaces: [shop]}
`;

/** A report as a run of \`meshpol lint\` makes it. */
export function sampleReport(): LintReport {
  const bag = new DiagnosticBag();
  const files = [{ path: 'a b/<i>&"\'|.yaml', text }];
  const snapshot = createAnalyser(defaultSettings, partialInput)(createObjectReader()(files, bag), bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  return reportOf(lint(snapshot), files, { version: '1.2.3', isFaulty: false });
}
