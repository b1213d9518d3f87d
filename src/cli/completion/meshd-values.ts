import { loggingValues } from './logging-values.ts';
import { plainWords, type ValueTable } from './value-source.ts';

/** Values of `meshd` beside choices and paths. */
export const meshdValues: ValueTable = {
  ...loggingValues,
  'crds KIND': async () => {
    const { definedKinds } = await import('../../definitions/defined-kinds.ts');
    return plainWords(definedKinds.map(({ kind }) => kind));
  },
};
