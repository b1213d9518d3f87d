import { plainWords, type ValueTable } from '../../completion/value-source.ts';
import { loggingValues } from './logging-values.ts';

/** Values of `meshd` beside choices and paths. */
export const meshdValues: ValueTable = {
  ...loggingValues,
  'crds KIND': async () => {
    const { definedKinds } = await import('../../definitions/defined-kinds.ts');
    return plainWords(definedKinds.map(({ kind }) => kind));
  },
};
