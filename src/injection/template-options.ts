/** How templates of injection are compiled, ours and a user's: `json` is the only helper beside Handlebars' own. */
export const templateOptions = {
  strict: true,
  noEscape: true,
  preventIndent: true,
  knownHelpers: { json: true },
  knownHelpersOnly: true,
};
