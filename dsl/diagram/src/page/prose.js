// Turns documentation comments, which are Markdown, into elements: paragraphs, lists, headings and code. All text is set as text,
// so none of it is ever parsed as markup of the page. Links show where they lead, but cannot be followed.

const prose = (() => {
  const element = (tag, ...children) => {
    const made = document.createElement(tag);
    made.append(...children);
    return made;
  };

  const INLINE = /(`+)(.+?)\1|\[([^\]]+)\](?:\(([^)\s]*)[^)]*\)|\[[^\]]*\])|\[(`[^`]+`)\]|\*\*(.+?)\*\*|\*([^\s*](?:[^*]*[^\s*])?)\*|(?<![\w])_([^_]+)_(?![\w])/s;

  /** Text with code, emphasis and links. */
  function inline(text) {
    const made = [];
    let rest = text;
    for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
      const [all, , code, said, target, item, strong, star, line] = match;
      made.push(rest.slice(0, match.index));
      if (code !== undefined) made.push(element('code', code.trim()));
      else if (item !== undefined) made.push(element('code', item.slice(1, -1)));
      else if (strong !== undefined) made.push(element('strong', ...inline(strong)));
      else if (star !== undefined || line !== undefined) made.push(element('em', ...inline(star ?? line)));
      else {
        const link = element('span', ...inline(said));
        if (target) link.title = target;
        made.push(link);
      }
      rest = rest.slice(match.index + all.length);
    }
    return [...made, rest].filter((part) => part !== '');
  }

  /** The blocks of a text. */
  function blocks(text) {
    const made = [];
    let [paragraph, list, fence] = [[], null, null];
    const end = () => {
      if (paragraph.length) made.push(element('p', ...inline(paragraph.join(' '))));
      if (list) {
        const items = list.items.map((item) => element('li', ...inline(item)));
        made.push(element(list.tag, ...items));
      }
      [paragraph, list] = [[], null];
    };
    for (const line of (text ?? '').trim().split('\n')) {
      const [isFence, item] = [/^\s*(```|~~~)/.test(line), /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)/.exec(line)];
      const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
      if (fence) {
        if (!isFence) fence.push(line);
        else {
          made.push(element('pre', fence.join('\n')));
          fence = null;
        }
      } else if (isFence) {
        end();
        fence = [];
      } else if (!line.trim()) end();
      else if (heading) {
        end();
        made.push(element('p', element('strong', ...inline(heading[1]))));
      } else if (item) {
        const tag = item[1] ? 'ol' : 'ul';
        if (paragraph.length || list?.tag !== tag) end();
        list ??= { tag, items: [] };
        list.items.push(item[2]);
      } else if (list) list.items[list.items.length - 1] += ` ${line.trim()}`;
      else paragraph.push(line.trim());
    }
    if (fence) made.push(element('pre', fence.join('\n')));
    end();
    return made;
  }

  return { blocks };
})();
