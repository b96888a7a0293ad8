import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lexical, type LexicalOptions, lexical } from '../../../src/capabilities/fs/lexical.ts';

const posix: LexicalOptions = { platform: 'linux', roots: [['/w/root', '/private/w/root'], ['/w/second']] };
const mac: LexicalOptions = { ...posix, platform: 'darwin' };
const windows: LexicalOptions = { platform: 'win32', roots: [['C:/w/root']] };

function shown(read: Lexical): string {
  return read.ok ? `${read.root}:${read.segments.join('/')}${read.directory ? '/' : ''}` : read.reason;
}

describe('the lexical check', () => {
  it.each<[string, unknown, LexicalOptions, string]>([
    ['parent folders', '../../etc/passwd', posix, 'outside'],
    ['a way back in by name', '../root/x', posix, 'outside'],
    ['a sibling with the same beginning', 'sub/../../root-evil/x', posix, 'outside'],
    ['an absolute sibling', '/w/root-evil/x', posix, 'outside'],
    ['an absolute path inside', '/w/root/a/b', posix, '0:a/b'],
    ['an absolute path by the other name of the root', '/private/w/root/a', posix, '0:a'],
    ['the root by its absolute name', '/w/root', posix, '0:'],
    ['the root by its absolute name and a slash', '/w/root/', posix, '0:/'],
    ['an absolute path that leaves and comes back', '/w/root/../../w/root/a', posix, '0:a'],
    ['an absolute path in the second root', '/w/second/x', posix, '1:x'],
    ['the whole file system', '/', posix, 'outside'],
    ['a benign parent', 'sub/../ok2.txt', posix, '0:ok2.txt'],
    ['a benign parent when strict', 'sub/../ok2.txt', { ...posix, strict: true }, 'outside'],
    ['a parent of a folder that is not there', 'new1/../../out/x', posix, 'outside'],
    ['names that only begin with dots', '..foo/...bar', posix, '0:..foo/...bar'],
    ['dots and slashes', './/a///./b/.', posix, '0:a/b/'],
    ['a folder by its slash', 'sub/', posix, '0:sub/'],
    ['NUL', 'ok.txt\u0000.png', posix, 'char'],
    ['a line end', 'a\nb', posix, 'char'],
    ['a terminal sequence', 'a\u001b[2Jb', posix, 'char'],
    ['a C1 control', 'a\u009bb', posix, 'char'],
    ['a line separator', 'a\u2028b', posix, 'char'],
    ['DEL', 'a\u007f', posix, 'char'],
    ['half a surrogate pair', 'a\ud800', posix, 'char'],
    ['a zero-width space', 'sub/ok\u200b.txt', posix, 'invisible'],
    ['a character that HFS+ ignores', '.gi\u200ct/config', posix, 'invisible'],
    ['a byte order mark', '\ufeffok.txt', posix, 'invisible'],
    ['tag characters', 'ok\u{e0041}.txt', posix, 'invisible'],
    ['a soft hyphen', 'o\u00adk.txt', posix, 'invisible'],
    ['a change of direction', 'sub/\u202etxt.exe', posix, 'bidi'],
    ['an isolate', 'sub/\u2066txt.exe', posix, 'bidi'],
    ['home', '~/.ssh/id_rsa', posix, 'tilde'],
    ['the home of somebody', '~root/x', posix, 'tilde'],
    ['a tilde further in', 'sub/~x', posix, '0:sub/~x'],
    ['percent signs', '%2e%2e/%2e%2e/etc/passwd', posix, '0:%2e%2e/%2e%2e/etc/passwd'],
    ['percent signs twice', '%252e%252e/x', posix, '0:%252e%252e/x'],
    ['a percent slash', '..%2f..%2fetc', posix, '0:..%2f..%2fetc'],
    ['a file URL', 'file:///etc/passwd', posix, 'url'],
    ['a file URL with one slash', 'file:/etc/passwd', posix, 'url'],
    ['another URL', 'HTTPS://example.org/x', posix, 'url'],
    ['variables are names', '$HOME/%APPDATA%', posix, '0:$HOME/%APPDATA%'],
    ['quotes and spaces are names', '" a "', posix, '0:" a "'],
    ['a drive off Windows', 'C:foo', posix, 'drive'],
    ['a drive with backslashes off Windows', 'C:\\Windows\\x', posix, 'drive'],
    ['backslashes off Windows', 'sub\\..\\..\\x', posix, 'backslash'],
    ['backslashes as characters', 'sub\\..\\x', { ...posix, backslash: 'literal' }, '0:sub\\..\\x'],
    ['two slashes', '//server/share', posix, 'unc'],
    ['two backslashes', '\\\\server\\share', posix, 'unc'],
    ['a device namespace off Windows', '\\\\?\\C:\\x', posix, 'device-namespace'],
    ['a path that is too long', `${'a/'.repeat(2500)}f`, posix, 'length'],
    ['a name that is too long', 'x'.repeat(300), posix, 'length'],
    ['a name that is too long in bytes only', '\u20ac'.repeat(100), posix, 'length'],
    ['a long name that fits', 'x'.repeat(255), posix, `0:${'x'.repeat(255)}`],
    ['an empty path', '', posix, 'empty'],
    ['a number', 7, posix, 'type'],
    ['null', null, posix, 'type'],
    ['a URL object', new URL('file:///w/root/x'), posix, 'type'],
    ['a list', ['a'], posix, 'type'],
    ['a string object', Object('a'), posix, 'type'],
    ['a macOS alias by volume', '/.vol/1/2', mac, 'alias'],
    ['a macOS alias without following', '/.nofollow/w/root/x', mac, 'alias'],
    ['a macOS alias of the data volume', '/System/Volumes/Data/w/root', mac, 'alias'],
    ['a macOS firmlink spelling of the root', '/private/w/root/x', mac, '0:x'],
    ['Windows: a path with both separators', 'a\\b/c', windows, '0:a/b/c'],
    ['Windows: an absolute path inside', 'c:\\W\\Root\\a', windows, '0:a'],
    ['Windows: an absolute path outside', 'C:\\Windows\\x', windows, 'outside'],
    ['Windows: an absolute sibling', 'C:\\w\\root-evil\\x', windows, 'outside'],
    ['Windows: another drive', 'D:\\w\\root\\a', windows, 'outside'],
    ['Windows: the current folder of a drive', 'C:foo', windows, 'drive'],
    ['Windows: the current drive', '\\foo', windows, 'drive'],
    ['Windows: the current drive with a slash', '/w/root/a', windows, 'drive'],
    ['Windows: parents with backslashes', 'sub\\..\\..\\x', windows, 'outside'],
    ['Windows: a long path', '\\\\?\\C:\\x', windows, 'device-namespace'],
    ['Windows: a pipe', '\\\\.\\pipe\\x', windows, 'device-namespace'],
    ['Windows: an object path', '\\??\\C:\\x', windows, 'device-namespace'],
    ['Windows: a share', '\\\\server\\share', windows, 'unc'],
    ['Windows: a share with slashes', '//server/share', windows, 'unc'],
    ['Windows: NUL', 'NUL', windows, 'device'],
    ['Windows: con with an ending', 'con.txt', windows, 'device'],
    ['Windows: con with a space', 'con .txt', windows, 'device'],
    ['Windows: a port', 'sub/COM1', windows, 'device'],
    ['Windows: a port with a superscript', 'LPT\u00b9', windows, 'device'],
    ['Windows: the console', 'CONIN$', windows, 'device'],
    ['Windows: a device in the middle', 'a/aux/b', windows, 'device'],
    ['Windows: a device that a normalization would lose', 'AUX:..\\..\\..\\Windows', windows, 'device'],
    ['Windows: a stream', 'x.txt:hidden', windows, 'stream'],
    ['Windows: the default stream', '.env::$DATA', windows, 'stream'],
    ['Windows: a dot at the end', '.env.', windows, 'trailing'],
    ['Windows: a space at the end', '.env ', windows, 'trailing'],
    ['Windows: three dots', '.../x', windows, 'trailing'],
    ['Windows: a short name', 'GIT~1/config', windows, 'short-name'],
    ['Windows: another short name', 'PROGRA~1', windows, 'short-name'],
    ['Windows: a wildcard', 'a*', windows, 'wildcard'],
    ['Windows: a pipe sign', 'a|b', windows, 'wildcard'],
    ['Windows: a name that only begins like a device', 'console.txt', windows, '0:console.txt'],
    ['devices are names elsewhere', 'con.txt', posix, '0:con.txt'],
  ])('reads %s: %j', (_, input, options, expected) => {
    expect(shown(lexical(input, options))).toBe(expected);
  });

  it('never lets a parent folder or an empty name through, whatever is written', () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '', '/', '\\', 'a', '~', 'C:', '%2e', '\u2025', '...'),
      fc.string(),
    );
    const path = fc
      .array(piece, { maxLength: 12 })
      .chain((parts) => fc.constantFrom(parts.join('/'), parts.join('\\')));
    fc.assert(
      fc.property(path, fc.constantFrom(posix, mac, windows), (input, options) => {
        const read = lexical(input, options);
        if (!read.ok) return;
        expect(read.segments).not.toContain('..');
        expect(read.segments).not.toContain('.');
        expect(read.segments).not.toContain('');
        expect(read.segments.every((segment) => !segment.includes('/'))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads its own answer as the same place again', () => {
    const segment = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (parts) => {
        const first = lexical(`./${parts.join('/')}`, posix);
        if (!first.ok || first.segments.length === 0) return;
        const second = lexical(`./${first.segments.join('/')}`, posix);
        expect(second).toMatchObject({ ok: true, segments: first.segments });
      }),
    );
  });
});
