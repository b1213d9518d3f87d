import type { StatusConfig } from '../registry/open-registry.ts';
import { type ConditionWords, longestMessage } from './condition.ts';
import { type Finding, type ObjectReport, trackedKey, type Verdict } from './object-report.ts';

/** How many of the proxies that are connected to any replica have the active version of an object. */
export interface Reach {
  readonly proxies: number;
  readonly connected: number;
  /** Each replica serves the version. */
  readonly isKnownToAll: boolean;
}

export interface DesiredParts {
  readonly config: Pick<StatusConfig, 'reconciliation' | 'analysis'>;
  /** Undefined: nobody tracks who has what. */
  readonly reach: { of(key: string): Reach } | undefined;
}

/** The conditions that an object's status should have; undefined if its current version is not compiled yet. */
export function desiredConditions(
  report: ObjectReport,
  { config, reach }: DesiredParts,
): readonly ConditionWords[] | undefined {
  const { verdict } = report;
  if (verdict === undefined) return undefined;
  return [
    ...(config.reconciliation ? [accepted(verdict)] : []),
    ...(config.reconciliation && reach
      ? [settledCondition(report) ?? distributed(verdict, reach.of(trackedKey(report)))]
      : []),
    ...(config.analysis ? lintConditions(report, verdict) : []),
  ];
}

/** Whether the number of proxies with the object's version may still grow. */
export function isUnsettled(words: readonly ConditionWords[]): boolean {
  return words.some(({ reason }) => reason === 'InProgress' || reason === 'NoProxies');
}

function accepted({ errors, version }: Verdict): ConditionWords {
  const [first] = errors;
  if (first === undefined) {
    return { type: 'Accepted', status: 'True', reason: 'Valid', message: 'the object is in force' };
  }
  const rest =
    version === undefined ? 'no version of the object is in force' : 'the last valid version of the object is in force';
  return {
    ...{ type: 'Accepted', status: 'False', reason: camelCase(first.code) },
    message: textOf(errors, `; ${rest}`),
  };
}

/** A column of `kubectl get` shows the message. The version is part of it, so that another leader knows of which it is said. */
function distributed({ version }: Verdict, { proxies, connected, isKnownToAll }: Reach): ConditionWords {
  const type = 'Distributed';
  if (version === undefined) {
    return { type, status: 'False', reason: 'NotInForce', message: 'no version of the object is in force' };
  }
  const message = `${proxies}/${connected} have version ${version}`;
  if (!isKnownToAll) {
    return {
      type,
      status: 'False',
      reason: 'InProgress',
      message: `${message}; not every replica of meshd serves it yet`,
    };
  }
  if (connected === 0) return { type, status: 'Unknown', reason: 'NoProxies', message };
  const isDone = proxies === connected;
  return { type, status: isDone ? 'True' : 'False', reason: isDone ? 'AllProxies' : 'InProgress', message };
}

/** While lint has not looked at the object as it is, what it said before stays, with the generation that it is about. */
function lintConditions({ conditions }: ObjectReport, { lint }: Verdict): readonly ConditionWords[] {
  return lint === undefined ? conditions.filter(({ type }) => type === 'LintPassed') : [lintPassed(lint)];
}

function lintPassed(findings: readonly Finding[]): ConditionWords {
  const [first] = findings;
  if (first === undefined) {
    return { type: 'LintPassed', status: 'True', reason: 'NoFindings', message: 'lint finds nothing' };
  }
  return { type: 'LintPassed', status: 'False', reason: camelCase(first.code), message: textOf(findings) };
}

function textOf(findings: readonly Finding[], end = ''): string {
  const lines = findings.map(({ code, field, message }) => `${field && `${field}: `}${message} [${code}]`);
  const text = [...new Set(lines)].join('; ');
  const most = longestMessage - end.length;
  return `${text.length > most ? `${text.slice(0, most - 1)}…` : text}${end}`;
}

/** `UnknownField` of `unknown-field`. */
function camelCase(code: string): string {
  return code.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * The condition that says that all proxies have the version of the object that is in force. Once it is written it stays:
 * proxies that come later get the version at once, and their coming and going changes nothing.
 */
function settledCondition({ conditions, generation, verdict }: ObjectReport): ConditionWords | undefined {
  const condition = conditions.find(({ type }) => type === 'Distributed');
  if (condition?.status !== 'True' || condition.observedGeneration !== generation) return undefined;
  return condition.message.endsWith(` ${verdict?.version}`) ? condition : undefined;
}
