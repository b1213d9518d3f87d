import type { SourceText } from '../diagnostics/placed.ts';
import { aliases } from '../policy/alias.ts';
import type { Finding } from './finding.ts';

/** Names that stand by themselves, each with its alias. */
const words: readonly (readonly [ours: string, alias: string])[] = [
  ...Object.entries(aliases.tlsModes),
  ...Object.entries(aliases.containers),
  ...Object.entries(aliases.labels).filter(([alias]) => alias.includes('-')),
].map(([alias, ours]) => [ours, alias]);

const ourWord = new RegExp(`\\b(?:${words.map(([ours]) => ours).join('|')})\\b`, 'g');
const aliasOf: ReadonlyMap<string, string> = new Map(words);

/** Groups, and domains of labels and annotations; hosts of the user that end so are none. */
const ourDomain =
  /\b((?:security|networking)\.)mesh\.io\b|\b((?:(?:traffic\.)?sidecar|inject|proxy)\.|(?<![\w.-]))mesh\.io\//g;

/** A label of gateways, as a hint quotes it. */
const ourLabel = /(?<=")mesh: /g;

/**
 * The findings in the names that the user writes: where a file has Istio's names and none of ours, hints and messages
 * name labels, TLS modes and groups as Istio does. A file that has neither speaks as the rest of the input does.
 */
export function inDialect(findings: readonly Finding[], files: readonly SourceText[]): readonly Finding[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const known = new Map<string, boolean | undefined>();
  const ofFile = (path: string): boolean | undefined => {
    if (!known.has(path)) known.set(path, isForeign(texts.get(path) ?? ''));
    return known.get(path);
  };
  let ofInput: boolean | undefined;
  const ofAll = (): boolean => {
    const judged = [...texts.keys()].map(ofFile);
    ofInput ??= judged.includes(true) && !judged.includes(false);
    return ofInput;
  };
  return findings.map((finding) => {
    const { message, why, hint, related, fix } = finding;
    if (!namesOurs([message, why, hint, fix?.title, ...related.map((other) => other.message)])) return finding;
    const isAliased = (finding.span && ofFile(finding.span.file)) ?? ofAll();
    if (!isAliased) return finding;
    return {
      ...finding,
      message: translated(message),
      ...(why !== undefined && { why: translated(why) }),
      ...(hint !== undefined && { hint: translated(hint) }),
      related: related.map((other) => ({ ...other, message: translated(other.message) })),
      ...(fix && { fix: { ...fix, title: translated(fix.title) } }),
    };
  });
}

/** Undefined where a text has names of neither kind. */
function isForeign(text: string): boolean | undefined {
  if (namesOurs([text])) return false;
  return translatedBack.test(text) ? true : undefined;
}

const translatedBack = new RegExp(`\\b(?:${[...aliasOf.values()].join('|')})\\b|\\bistio\\.io/`);

function namesOurs(texts: readonly (string | undefined)[]): boolean {
  return texts.some(
    (text) => text !== undefined && [ourWord, ourDomain, ourLabel].some((ours) => text.search(ours) >= 0),
  );
}

function translated(text: string): string {
  return text
    .replace(ourWord, (ours) => aliasOf.get(ours) ?? ours)
    .replace(ourDomain, (found) => found.replace('mesh.io', 'istio.io'))
    .replace(ourLabel, 'istio: ');
}
