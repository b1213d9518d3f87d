import { type AnalysisOptions, createAnalyser } from '../compiler/analyse.ts';
import { isPolicyKind } from '../compiler/collect.ts';
import { createObjectReader, type ReadObjects } from '../compiler/read-objects.ts';
import type { LintConfig } from '../config/project-file.ts';
import type { Settings } from '../config/settings.ts';
import { type Diagnostic, DiagnosticBag } from '../diagnostics/bag.ts';
import type { OnStep } from '../lib/on-step.ts';
import type { UnreadObject } from '../policy/unread-object.ts';
import type { SourceFile } from '../source/document.ts';
import { statedKinds } from '../source/stated-kinds.ts';
import { besideFaults, findingsBesideFaults } from './beside-faults.ts';
import { configure } from './configure.ts';
import { inDialect } from './dialect.ts';
import { faultyObjects } from './faulty-objects.ts';
import type { Finding } from './finding.ts';
import { type LintResult, lint } from './lint.ts';
import { withoutOutranked } from './outranked.ts';
import { partialInput } from './partial-input.ts';
import type { RunnableRule } from './rule.ts';
import { isWhole } from './rule-index.ts';
import { withoutUnrendered } from './unrendered.ts';

/** Everything that one look at a mesh depends on. */
export interface LintTexts {
  readonly inputs: readonly SourceFile[];
  /** No inputs, but files of Kustomize and Helm beside them, which may say that an input is a patch or a template. */
  readonly surroundings?: readonly SourceFile[];
  /** Texts of settings, which findings may point into. */
  readonly sources: readonly SourceFile[];
  readonly settings: Settings;
  readonly rules: readonly RunnableRule[];
  /** What the project says, and how it names files. */
  readonly project: { readonly config: LintConfig; pathOf(file: string): string | undefined };
  /** The day by which suppressions expire: `YYYY-MM-DD`. */
  readonly today: string;
  /** Told of each document, object and rule. */
  readonly onStep?: OnStep | undefined;
}

/** One look at the inputs. */
export interface LintRun {
  readonly result: LintResult;
  /** Inputs and configuration: what findings point into. */
  readonly files: readonly SourceFile[];
  /** There is no object of a kind that is read and no fault that would explain it, or only what another program makes objects of. */
  readonly isEmpty: boolean;
  /** The input has errors, so that only rules ran that need nothing else of it. */
  readonly isFaulty: boolean;
}

/**
 * Reads texts of what may be a part of a mesh, and runs the rules; errors of the input are findings too. The bag has what
 * reading the settings said. Pure.
 */
export function lintTexts(
  { inputs: all, surroundings = [], sources, settings, rules, project, today, onStep }: LintTexts,
  bag: DiagnosticBag,
): LintRun {
  const { inputs, withoutAlternatives, isAny, onlyMadeBy } = withoutUnrendered(all, surroundings, bag);
  const unread: UnreadObject[] = [];
  const objects = withoutAlternatives(
    createObjectReader({ onStep })(inputs, bag, (object) => void unread.push(object)),
    bag,
  );
  const options = { ...partialInput, unread };
  const isWithoutText = bag.all.some(({ code }) => code === 'empty-input');
  const isForOthers = isAny || (objects.length === 0 && !isWithoutText && inputs.some(hasOtherKind));
  const isUnmade = objects.length === 0 && onlyMadeBy !== undefined;
  const isEmpty = isWithoutText || isUnmade || (objects.length === 0 && !bag.hasErrors && !isForOthers);
  if (isEmpty && !isWithoutText) {
    const hint = onlyMadeBy && `nothing was checked; lint what the inputs are a part of: ${onlyMadeBy}`;
    bag.report('empty-input', undefined, { what: 'the input', thing: 'object' }, { hint });
  }
  const analyse = createAnalyser(settings, options);
  const snapshot = bag.hasErrors ? undefined : analyse(objects, bag);
  const files = [...all, ...sources];
  const looked = [...inputs, ...sources];
  const spoken = (findings: readonly Finding[]) => inDialect(findings, files);
  const severed = (findings: readonly Finding[]) => configure(spoken(findings), project.config, project.pathOf);
  if (snapshot === undefined) {
    const sound = createAnalyser(settings, options)(firstPolicies(objects), new DiagnosticBag());
    const own = sound && lint(sound, { rules: rules.filter(isOfOneself), files: looked, today });
    const beside = ofSoundObjects({ inputs, settings, rules, today, files: looked }, objects, options, bag);
    // Of one place the error says enough.
    const places = new Set(bag.all.map(({ span }) => placeOf(span)));
    const others = [...(own?.findings ?? []), ...beside.findings].filter(
      ({ span }) => span === undefined || !places.has(placeOf(span)),
    );
    const findings = [...spoken(bag.all), ...severed(others)];
    const { notChecked } = beside;
    return { result: { findings, suppressed: own?.suppressed ?? 0, notChecked }, files, isEmpty, isFaulty: true };
  }
  const { findings, ...rest } = lint(snapshot, { rules, files: looked, today, onStep });
  // What reading said before there was a snapshot: of settings and files.
  const own = new Set<Finding>(snapshot.diagnostics);
  const before = isWhole(rules) ? bag.all.filter((finding) => !own.has(finding)) : [];
  return { result: { ...rest, findings: severed([...before, ...findings]) }, files, isEmpty, isFaulty: false };
}

/** What the other rules and analysis find in the objects without errors, where it is known what those with errors are. */
function ofSoundObjects(
  {
    inputs,
    settings,
    rules,
    today,
    files,
  }: Pick<LintTexts, 'inputs' | 'settings' | 'rules' | 'today'> & Pick<LintRun, 'files'>,
  objects: Objects,
  options: AnalysisOptions,
  { all }: DiagnosticBag,
): Pick<LintResult, 'findings' | 'notChecked'> {
  // Of suppressions it is not known what they would take.
  const others = rules.filter((rule) => !isOfOneself(rule) && rule.kinds.length > 0);
  const { faulty, rest, snapshot } = soundPart({ inputs, settings }, objects, options, all);
  if (faulty === undefined || snapshot === undefined) return { findings: [], notChecked: silentOf(others, rest) };
  const silent: RunnableRule[] = [];
  const noting = others.map((rule) => besideFaults(rule, faulty.kinds, () => void silent.push(rule)));
  const found = lint(snapshot, { rules: noting, files, today });
  const told = isWhole(rules) ? findingsBesideFaults(snapshot, faulty.kinds) : [];
  return { findings: withoutOutranked([...told, ...found.findings], rules), notChecked: silentOf(silent, rest) };
}

/** The snapshot of the objects in which neither reading nor analysis finds an error. */
function soundPart(
  { inputs, settings }: Pick<LintTexts, 'inputs' | 'settings'>,
  objects: Objects,
  options: AnalysisOptions,
  said: readonly Diagnostic[],
) {
  const told = [...said];
  let rest = objects;
  for (let isFirst = true; ; isFirst = false) {
    const faulty = faultyObjects(inputs, told);
    if (faulty === undefined) return { rest };
    const sound = rest.filter((object) => !faulty.has(object));
    // Errors that lie in none of these objects would come again and again.
    if (!isFirst && sound.length === rest.length) return { rest };
    rest = sound;
    const unread = [...(options.unread ?? []), ...faulty.evidence];
    const bag = new DiagnosticBag();
    const snapshot = createAnalyser(settings, { ...options, unread })(rest, bag);
    const errors = bag.all.filter(({ severity }) => severity === 'error');
    if (snapshot !== undefined || errors.length === 0) return { faulty, rest, snapshot };
    told.push(...errors);
  }
}

/** Rules that did not look at objects which are there. */
function silentOf(rules: readonly RunnableRule[], objects: Objects): LintResult['notChecked'] {
  return rules.flatMap(({ code, kinds }) => {
    const count = objects.filter(({ kind }) => kinds.includes(kind)).length;
    return count === 0 ? [] : [{ code, count }];
  });
}

/**
 * Objects of kinds that are not read are a sound input, in which there is nothing to find. A list of none is not, and what comes
 * through a pipe was made to be looked at.
 */
function hasOtherKind({ path, text }: SourceFile): boolean {
  return path !== '-' && (statedKinds(text) ?? []).some((kind) => kind !== 'List');
}

function placeOf(span: Finding['span']): string {
  return span === undefined ? '' : `${span.file} ${span.start} ${span.end}`;
}

/** What a rule is certain of by a policy's own text stays true, whatever an input with errors lacks. */
export function isOfOneself({ needs, confidence, kinds }: RunnableRule): boolean {
  return needs === 'policies' && confidence === 'certain' && kinds.length > 0;
}

type Objects = ReturnType<ReadObjects>;

/** The sound policies alone, of equal names the first. */
function firstPolicies(objects: Objects): Objects {
  const firsts = new Map<string, Objects[number]>();
  for (const object of objects) {
    const key = `${object.kind}/${object.namespace}/${object.name}`;
    if (isPolicyKind(object.kind) && !firsts.has(key)) firsts.set(key, object);
  }
  return [...firsts.values()];
}

/** Suppressions expire by days of UTC, so that all machines agree. */
export function todayInUtc(): string {
  return new Date().toISOString().slice(0, 10);
}
