import type { JsonPath } from '../diagnostics/span.ts';

/** Lists of an access rule whose values a request may lack: a header, a claim, an identity. */
const ofWhatMayLack =
  /^(values|notValues|principals|notPrincipals|requestPrincipals|notRequestPrincipals|namespaces|notNamespaces)$/;

/** What to write in place of an empty text at `path`; in an access rule, an empty text most often stands for an absence. */
export function emptyTextHint(path: JsonPath): string | undefined {
  const list = path.at(-2);
  if (typeof path.at(-1) !== 'number') return undefined;
  if (path[1] !== 'rules' || typeof list !== 'string' || !ofWhatMayLack.test(list))
    return 'write the value that is meant';
  return list.startsWith('not')
    ? `to ask that there is one write ${list[3]?.toLowerCase()}${list.slice(4)}: ["*"]`
    : `to ask that there is none write not${list[0]?.toUpperCase()}${list.slice(1)}: ["*"]`;
}
