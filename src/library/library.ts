export type {
  LintEdit,
  LintFinding,
  LintPlace,
  LintReportFile,
  LintSummary,
  NotCheckedRule,
} from '../contracts/lint-report.ts';
// biome-ignore lint/performance/noBarrelFile: the one entry of the package
export {
  type MeshCapture,
  type MeshEndpoint,
  type MeshFile,
  type MeshService,
  type MeshServicePort,
  type MeshTarget,
  type MeshWorkload,
  readMeshFile,
} from '../contracts/mesh-file.ts';
export {
  type DecidingField,
  type FragmentFields,
  type OriginsByName,
  type OriginsFile,
  readOriginsFile,
} from '../contracts/origins-file.ts';
export { analyse } from './analyse.ts';
export { applyFixes } from './apply-fixes.ts';
export { checkRule } from './check-rule.ts';
export { compile } from './compile.ts';
export { type EvaluateInput, evaluate } from './evaluate.ts';
export { type DiagnosticsForm, formatDiagnostics } from './format-diagnostics.ts';
export type { AnalyseInput, BootstrapInput, CompileInput, KeySetText, NamedText, TemplateText } from './input.ts';
export { allRules, lint } from './lint.ts';
export type { LintOptions, LintProject, LintResult, SeverityByCode } from './lint-options.ts';
export type {
  Answer,
  EvaluateResult,
  PredictedLeg,
  PredictedOutcome,
  PredictedStep,
  PredictedWay,
  Question,
} from './question.ts';
export type {
  AnalyseResult,
  CompileResult,
  Diagnostic,
  Message,
  Place,
  Position,
  ProxyConfiguration,
} from './result.ts';
export type {
  BuiltInRule,
  Rule,
  RuleContext,
  RuleFacts,
  RulePlace,
  RuleSighting,
} from './rule.ts';
export { schemas } from './schemas.ts';
export type {
  Decision,
  InboundPolicies,
  MeshSnapshot,
  MtlsDecision,
  OutboundPolicies,
  PortTraffic,
  RootNamespace,
  RoutesInForce,
  ServicePolicies,
  SnapshotObject,
  SubsetPolicies,
  WorkloadName,
} from './snapshot.ts';
