import type { ReflectorOptions } from '../reflector.ts';
import type { ApiObject } from '../resource-type.ts';

/** What a reflector tells, counted, and the objects that there are by that. */
export function countingSink() {
  const objects = new Map<string, ApiObject>();
  const told = { lists: 0, deletes: 0, isUnserved: false };
  const sink: ReflectorOptions['sink'] = {
    replace: (all) => {
      told.lists++;
      objects.clear();
      for (const object of all) objects.set(object.metadata.name, object);
    },
    set: (object) => void objects.set(object.metadata.name, object),
    delete: (object) => {
      told.deletes++;
      objects.delete(object.metadata.name);
    },
    unserved: () => {
      told.isUnserved = true;
    },
  };
  return { sink, told, objects };
}
