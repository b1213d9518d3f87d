import { message } from '../message.ts';
import { error, info, warning } from './entry.ts';

/** Faults of files and of YAML and JSON as such. */
export const sourceCodes = {
  'alternatives-left-out': info(
    message`not checked: the objects of ${'files'} are defined elsewhere too, and no build contains both (${'build'})`,
  ),
  'patches-left-out': info(
    message`not checked, as the patches of ${'build'} are no objects by themselves: ${'patches'}`,
  ),
  'templates-left-out': warning(
    message`not checked: ${'count'} templates of the Helm chart "${'chart'}", which are no objects until they are rendered`,
  ),
  'alias-expansion': error(
    message`aliases make this document larger than ${'limit'} values`,
    'write the repeated parts out',
  ),
  'document-too-complex': error(
    message`this document uses anchors, tags, tabs, odd keys or text over several lines, and has more than ${'limit'} values`,
    'split the document, or write it without these forms',
  ),
  'duplicate-key': error(message`key "${'key'}" stands twice in one mapping`, 'keep one of the two'),
  'emptied-file': error(
    message`this file used to contain ${'what'}, and is now empty or has no object`,
    'restore the file; if its objects are to be removed, remove the file, or write "kind: List" with "items: []"',
  ),
  'empty-file': warning(
    message`the file contains no object`,
    'add the missing objects, or remove the file; a file that is empty on purpose has "kind: List" and "items: []"',
  ),
  'empty-input': error(
    message`${'what'} contains no ${'thing'}`,
    'give files or folders that contain one (in folders, files named *.yaml, *.yml or *.json are read, in upper case too)',
  ),
  'exclude-without-file': warning(
    message`--exclude "${'glob'}" matches nothing in the inputs`,
    'write it in the syntax of .gitignore, relative to the folder that is named as an input',
  ),
  'excluded-inputs': info(message`left out by --exclude or .meshpolignore: ${'paths'}`),
  'file-too-large': error(
    message`the file has ${'size'} bytes, more than the limit of ${'limit'}`,
    'split the file, or raise the limit with --max-file-size',
  ),
  'git-lfs-pointer': error(
    message`the file is a pointer of Git LFS, which stands for a file that is not here`,
    'fetch the file with "git lfs pull"; meshd serve --git reads no files of Git LFS: keep its inputs out of it',
  ),
  'half-surrogate-pair': error(
    message`this text has half of a surrogate pair, which is no character`,
    'write the character itself, or both halves, as in "\\uD83D\\uDE00"',
  ),
  'merge-key': error(
    message`merge key "<<" is not read here: it is not part of YAML 1.2`,
    'write the merged fields out',
  ),
  'nesting-too-deep': error(message`values are nested deeper than ${'limit'} levels`),
  'non-finite-number': error(message`number "${'number'}" is not finite`),
  'non-string-key': error(message`key ${'key'} is not a string`, 'put the key in quotes'),
  'not-an-object': error(
    message`expected an object, found ${'found'}`,
    'policies are objects with apiVersion and kind, separated by "---" lines',
  ),
  'parsers-disagree': error(
    message`two YAML parsers read this differently: ${'difference'}`,
    'write the value in a simpler form: no tags, no odd indentation, strings in double quotes',
  ),
  'replaced-objects': warning(
    message`this file used to contain ${'what'}, which no longer applies: the file now has objects of kinds that are not read (${'kinds'})`,
    'restore the file if that was a mistake; if not, the warning ends with the next change of the inputs',
  ),
  'skipped-by-name': warning(
    message`the file looks like a policy, and is not read because its name does not end in .yaml, .yml or .json`,
    'give it such a name, name the file itself, or move it out of the folder',
  ),
  'tab-indentation': error(message`a tab is used for indentation`, 'indent with spaces'),
  'text-too-long': error(
    message`this document contains a text of more than ${'limit'} characters`,
    'no value that the mesh uses is so long: split it, or remove it',
  ),
  'wrong-encoding': error(message`the file is not UTF-8 text: ${'reason'}`, 'save the file as UTF-8'),
  'yaml-syntax': error(message`cannot read this as YAML: ${'reason'}`),
};
