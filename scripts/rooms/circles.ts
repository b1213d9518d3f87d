interface Visit {
  readonly index: number;
  lowest: number;
  isOnPath: boolean;
}

/**
 * The circles of a graph, which has for each name those that it leads to: each a sorted list of names that lead to each
 * other (the strongly connected components of more than one name, as Tarjan finds them).
 */
export function circlesOf(graph: ReadonlyMap<string, Iterable<string>>): readonly (readonly string[])[] {
  const visits = new Map<string, Visit>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (name: string): Visit => {
    const own: Visit = { index: visits.size, lowest: visits.size, isOnPath: true };
    visits.set(name, own);
    path.push(name);
    for (const next of graph.get(name) ?? []) {
      const known = visits.get(next);
      if (known === undefined) own.lowest = Math.min(own.lowest, visit(next).lowest);
      else if (known.isOnPath) own.lowest = Math.min(own.lowest, known.index);
    }
    if (own.lowest === own.index) circles.push(close(path.splice(path.indexOf(name)), visits));
    return own;
  };
  for (const name of graph.keys()) if (!visits.has(name)) visit(name);
  return circles.filter(({ length }) => length > 1);
}

/** Takes the members of a component from the path. */
function close(members: string[], visits: ReadonlyMap<string, Visit>): string[] {
  for (const member of members) {
    const visit = visits.get(member);
    if (visit !== undefined) visit.isOnPath = false;
  }
  return members.sort();
}
