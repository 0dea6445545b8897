"""How people ask: for each call the ways to say it.

A wording is text with choices (a|b|) and slots:
  {F} an existing file   {X} a file or folder   {N} a new name   {D} a folder   {M} a new folder
  {T} a text in quotes   {U} the same without, at the end of the request   {O} {W} old and new, in quotes or bare
  {C} a test command     [verb] a verb of VERBS, in the form that the sentence needs
Wordings that begin with a verb also serve as "would you mind deleting .." and "after deleting ..".
HELD_OUT says which are kept from training, to see how far it carries.
"""

# base, -ing, participle
VERBS = {
    "delete": "delete deleting deleted;remove removing removed;erase erasing erased;drop dropping dropped;"
              "trash trashing trashed;discard discarding discarded;scrap scrapping scrapped;wipe wiping wiped;"
              "get_rid_of getting_rid_of gotten_rid_of;throw_away throwing_away thrown_away;nuke nuking nuked;"
              "kill killing killed;eliminate eliminating eliminated;purge purging purged;rm rm'ing rm'd;"
              "dispose_of disposing_of disposed_of;zap zapping zapped;"
              "destroy destroying destroyed;bin binning binned;unlink unlinking unlinked;toss tossing tossed;"
              "ditch ditching ditched;blow_away blowing_away blown_away;take_out taking_out taken_out;del del'ing del'd;"
              "obliterate obliterating obliterated;do_away_with doing_away_with done_away_with;clear_out clearing_out cleared_out;"
              "axe axing axed;chuck chucking chucked;expunge expunging expunged;throw_out throwing_out thrown_out;"
              "wipe_out wiping_out wiped_out;delete deleting deleted;remove removing removed;"
              "delete deleting deleted;remove removing removed;delete deleting deleted;remove removing removed",
    "create": "create creating created;make making made;add adding added;write writing written;start starting started;"
              "generate generating generated;set_up setting_up set_up;produce producing produced;"
              "put_together putting_together put_together;prepare preparing prepared;build building built;"
              "create creating created;create creating created;create creating created;make making made;"
              "initialize initializing initialized",
    "write": "write writing written;put putting put;save saving saved;store storing stored;place placing placed;"
             "dump dumping dumped;record recording recorded;write writing written;type typing typed;enter entering entered;"
             "echo echoing echoed;print printing printed;jot_down jotting_down jotted_down;note_down noting_down noted_down",
    "append": "append appending appended;add adding added;attach attaching attached;append appending appended;"
              "add adding added;tack_on tacking_on tacked_on;tack tacking tacked",
    "put_last": "append appending appended;add adding added;attach attaching attached;tack tacking tacked;"
                "put putting put;write writing written;insert inserting inserted;stick sticking stuck;place placing placed",
    "prepend": "prepend prepending prepended;add adding added;insert inserting inserted;put putting put;place placing placed;"
               "write writing written;stick sticking stuck;prepend prepending prepended",
    "replace": "replace replacing replaced;substitute substituting substituted;swap swapping swapped;"
               "replace replacing replaced;exchange exchanging exchanged;swap_out swapping_out swapped_out",
    "change": "change changing changed;update updating updated;edit editing edited;turn turning turned;modify modifying modified;"
              "switch switching switched;alter altering altered;convert converting converted;correct correcting corrected;"
              "fix fixing fixed;rewrite rewriting rewritten;change changing changed;change changing changed;set setting set;"
              "bump bumping bumped;adjust adjusting adjusted;rename renaming renamed;amend amending amended;flip flipping flipped",
    "rename": "rename renaming renamed;rename renaming renamed;rename renaming renamed;change_the_name_of changing_the_name_of changed;"
              "call calling called;retitle retitling retitled;relabel relabeling relabeled",
    "move": "move moving moved;move moving moved;move moving moved;mv mv'ing mv'd;relocate relocating relocated;put putting put;"
            "transfer transferring transferred;shift shifting shifted;place placing placed;shove shoving shoved;"
            "send sending sent;stick sticking stuck;bring bringing brought;drop dropping dropped;file filing filed;"
            "store storing stored;tuck tucking tucked;stash stashing stashed;push pushing pushed;take taking taken",
    "copy": "copy copying copied;copy copying copied;copy copying copied;duplicate duplicating duplicated;cp cp'ing cp'd;"
            "clone cloning cloned;replicate replicating replicated;back_up backing_up backed_up;mirror mirroring mirrored",
    "mkdir": "create creating created;make making made;add adding added;mkdir mkdir'ing mkdir'd;set_up setting_up set_up;"
             "create creating created;make making made;prepare preparing prepared;"
             "build building built;establish establishing established",
    "count": "count counting counted;count counting counted;tally tallying tallied;work_out working_out worked_out;"
             "determine determining determined;find_out finding_out found_out;compute computing computed;"
             "calculate calculating calculated;figure_out figuring_out figured_out",
    "tell": "tell_me telling_me told;show_me showing_me shown;give_me giving_me given;let_me_know letting_me_know shown;"
            "report reporting reported;say saying said;find_out finding_out found_out;check checking checked;"
            "display displaying displayed;output outputting output;print printing printed",
    "search": "search searching searched;look looking looked;grep grepping grepped;scan scanning scanned;"
              "search searching searched;hunt hunting hunted;check checking checked;dig digging dug",
    "find": "find finding found;locate locating located;find finding found;show_me showing_me shown;list listing listed;"
            "grep grepping grepped;print printing printed;look_up looking_up looked_up;get getting gotten;"
            "search_for searching_for searched;look_for looking_for looked;grep_for grepping_for grepped;"
            "display displaying displayed;spot spotting spotted;pick_out picking_out picked_out;track_down tracking_down tracked_down",
    "list": "list listing listed;show showing shown;ls ls'ing listed;display displaying displayed;list listing listed;"
            "enumerate enumerating enumerated;print printing printed;show_me showing_me shown;give_me giving_me given;"
            "tell_me telling_me told;view viewing viewed;see seeing seen;check checking checked;look_at looking_at looked_at",
    "show": "show showing shown;print printing printed;display displaying displayed;cat cat'ing cat'ed;view viewing viewed;"
            "show_me showing_me shown;output outputting output;read reading read;let_me_see letting_me_see seen;"
            "dump dumping dumped;give_me giving_me given;open opening opened;get getting gotten;echo echoing echoed;"
            "show showing shown;read_out reading_out read_out;pull_up pulling_up pulled_up;bring_up bringing_up brought_up;"
            "type_out typing_out typed_out;reveal revealing revealed;present presenting presented;look_at looking_at looked_at;"
            "tell_me telling_me told;print_out printing_out printed_out;peek_at peeking_at peeked_at;inspect inspecting inspected",
    "run": "run running run;execute executing executed;start starting started;launch launching launched;run running run;"
           "invoke invoking invoked;try trying tried;fire_up firing_up fired_up;run running run;kick_off kicking_off kicked_off;"
           "do doing done;perform performing performed;call calling called;trigger triggering triggered",
    "fix": "fix fixing fixed;correct correcting corrected;repair repairing repaired;mend mending mended;adjust adjusting adjusted;"
           "change changing changed;update updating updated;fix fixing fixed;patch patching patched;"
           "sort_out sorting_out sorted_out",
}

KIND = {}

KIND["create"] = """
(I want|I need|I'd like|we need|we want) {N} to (contain|say|hold|read|consist of) {T}
(add|create|make) {N}(:| -| with just| with only) {T}
(put|write|save) {T} (in|into|to) {N}
(put|write|save|store) {T} (in|into|to) (a |the |)(new |)(file |)(called |named |){N}
a (new |)(file|text file) (called|named) {N} (with|containing|saying|that says) {T}
{N} (with|containing) {T} (as its only line|inside|in it)
(make|create) {N}, (it should say|it should contain|saying|containing|with the text) {T}
[create] {N} with the (following content|following text|following line|content|text)(:| -) {T}
[create] (a |the |)(new |)(text |)file (called |named |){N} (with|containing|that contains|holding|which contains|with the content|with the contents|with content|that says|saying|that reads|reading|having|with the text|with the line|with the single line|with the words|including|which says|consisting of|whose content is|with this content:|with this line:|with this in it:) {T}
[create] (a |the |)(new |)(file |){N} (with|containing|that contains|holding|with the content|with content|that says|saying|that reads|with the text|with the line|whose only line is|with just|with only|and put|having the content|including the text|featuring) {T}( in it| inside| as its content| as content| as the content| as its only line|)
[create] (a |the |)(new |)(file |){N} (with|containing|that contains|holding|with the content|that says|saying|that reads|with the text|with the line|with content|:|with this text:) {U}
[create] (a |the |)(new |)(file |){N} and (write|put|add|insert|place|store|type|save) {T} (in it|into it|inside|there|in there|in|to it|inside it|into that file|as its content)
[create] (a |the |)(new |)(file |)(called |named |with the name |){N}. (It should|It must|It has to|It needs to|It will|The file should) (say|contain|read|hold|have|just say|only contain|include|have the line|have the text) {T}
[create] (a |the |)(new |)(file |)(called |named |){N}(;| -|:| —|,) (content|contents|text|the content should be|the content is|its content:|body)(:|) {T}
[create] (a |the |)(new |)(file |){N} (whose|its|where the) (content|contents|text|only line|first line|single line) (is|being|should be|reads|says) {T}
[write] {T} (to|into|in) (the file |file |a file called |a file named |a new file called |a new file named |a new file |){N}
[write] (the text|the line|the words|the string|the following line|the content|the sentence|the message|the phrase|the value|this text:|this:|this line:) {T} (to|into|in) (the file |file |a file called |a new file called |a new file |a file named |){N}
(new file|make file|create file|file|touch file|create|add file|write file) {N}(:|,| with| containing|;| =| ->|, content:|, contents:| with content| saying) {T}
(new file|create file|write file) {N}(:| with| containing| with content) {U}
echo {T} > {N}
(I need|I want|I'd like|we need|we want|give me|there should be|there must be|let there be|I would like|we should have|you should have|let's have|there needs to be) (a |a new |the )file (called |named |){N} (with|containing|that says|that contains|saying|holding|which says|with the content|with the text|reading|which contains|with the line) {T}(| in it| inside)
(the |a |)file {N} (should|must|has to|needs to|shall) (exist and contain|exist and say|exist with the content|be created with|be created with the content|contain just|contain only|be created containing|contain|be there and say) {T}
(make|let) {N} (contain|say|read|hold|have|contain only|contain just|consist of) {T}
(overwrite|fill|replace the whole content of|replace the contents of|replace the entire content of|set the content of|set the contents of|set the text of) {F} (with|by|to) {T}
(overwrite|fill|populate) {F} (with|using) (the text|the line|the content|just the line|just|only|nothing but) {T}
{T} (should go|goes|must go|has to go|belongs|should be saved|should be written|should be stored) (into|in) (a |the )(new |)file (called |named |){N}
(store|keep|save|record) {T} (under the name|as|as the file|under) {N}
(in|inside|into) (a new file|a file|the file|a new file called|a file named) {N}(,|) (write|put|save|store|place) {T}
(put|write|save|store) (into|in|to) {N}(:| the text| the line| this:| the words|) {T}
{N} (should|must) (have|contain|hold|say) (the |)(line|text|content|words) {T} and nothing else
(write|draft|compose|prepare) (me |)a (file|new file|text file|note|document) (called|named) {N} (that says|saying|with|containing|which reads|with the text) {T}
[create] {N} with {T} as (its |the |)(only |single |sole |)(content|contents|line|text)
"""
KIND["create_empty"] = """
(make|create) {N}, (empty|nothing in it|no content|leave it blank)
a (new |)(blank|empty) (file|text file) (called|named) {N}
(touch|create) {N} (so that it exists|so it exists|if it does not exist)
(just |)(create|make) (the file |){N}(, nothing in it yet|, without anything inside|, it can be empty|)
[create] (a |the |)file {N}
[create] (an |a new |a |one |the )empty (text |)file (called |named |with the name |){N}
[create] (a |an |the |)(new |)(empty |blank |)file (called |named |){N}(| with nothing in it| without any content| without content|, empty|, leave it empty|, no content|, and leave it empty| that is empty|, which should be empty| of zero bytes| with no content)
touch {N}
[create] {N} (as an empty file|empty|with no content|as a blank file|with nothing inside|but leave it empty|and leave it empty|, empty|, empty for now)
(new|blank|empty|new empty) file(:|) {N}
(I need|I want|I'd like|we need|there should be|give me|let's have|I would like) (an |a new |a )(empty |blank )file (called |named |){N}
(make|create|add|give me) (a |an )(blank|empty) {N}
(the |an |)empty file {N} (should|must|has to|needs to) (exist|be created|be there)
(create|make|add) (a placeholder|an empty placeholder|a blank placeholder)( file|) (called |named |){N}
touch (the |a |)file (called |named |){N}
"""
KIND["append"] = """
(open|edit|take|go to|update|in|to) {F}(,| and|, and|) (add|append|put|write|insert) (the line |the text |){T} (at|to|on) the (very |)(end|bottom)( of it| of the file|)
(update|extend) {F} with (a new|another|one more) line(:| saying|) {T}
{F}: (add|append) (the line |){T}( at the end|)
(add|append) to the file {f}: {T}
(in|to) {F}(,|) (add|append) (the line|a line|the entry|the text|a new line|another line)(:| saying| that says|) {T}
(add|append) (a line|one line|another line) (to|in) {F} (saying|that says|with|reading) {T}
{T} (belongs|goes|should go|must go) (at|to) the (end|bottom) of {F}
(append|add) the following (line |text |)to {F}: {T}
[append] {T} (to|onto) {F}
[put_last] {T} (to|at|onto) the (end|bottom|tail) of {F}
[append] (the |a |another |one more |a new |this |a final |the following |)(line|text|entry|row|sentence|words|string|note|line of text)(:|) {T} (to|at the end of|to the end of|at the bottom of|to the bottom of|into|onto|in|below everything in|as the last line of) {F}
[put_last] {T} (as|as the|as a|as a new|as another) (last line|final line|new line|another line|line|last entry|additional line|further line|entry) (to|of|in|at the end of|at the bottom of) {F}
[append] (a line|a new line|one more line|another line|a row|an entry|a final line|an extra line|a last line) (to|at the end of|at the bottom of|in|into) {F}(:| saying| that says| reading| with| containing| with the text|, namely|, which says| that reads) {T}
[append] (a line|a new line|one more line|another line|an entry) (to|at the end of|in) {F}(:| saying| that says| reading| with the text) {U}
[append] to {F}(:| the line| the text| the following:| this line:| this:|) {T}
[put_last] to the (end|bottom) of {F}(:| the line| the text| the following:| this line:|) {T}
[append] (this |the following |)to {F}: {U}
echo {T} >> {F}
(at|to) the (end|bottom) of {F}(,|) (add|append|put|write|insert|place|attach) (the line |the text |a line saying |)(:|){T}
(extend|continue|complete|supplement|augment) {F} (with|by) (the line |a line |the text |another line:|one more line:|){T}
{F} (needs|should get|should have|is missing|lacks|wants|gets|could use|must get|should end with|has to end with) (another|a new|one more|a final|an additional|the|a last|a closing) (line|entry|last line|line at the end|line at the bottom)(:| saying| that says|,) {T}
(I want|I'd like|I need|we need) {T} (added|appended|put|written) (to|at the end of|at the bottom of|to the end of) {F}
{T} (should|must|has to|needs to) be (added|appended|put|written) (to|at the end of|at the bottom of|to the end of|as the last line of) {F}
(stick|put|write|place|tack) {T} (at|on) the (end|bottom) of {F}
(append|add) (text|line|string) {T} to {F}
let {F} end with (the line |a line saying |){T}
[put_last] {T} below the (last|final) line (of|in) {F}
make {T} the (last|final) line (of|in) {F}
[put_last] {T} after (the last line of|everything else in|the existing content of|what is already in|all other lines in) {F}
(without overwriting|without deleting) (it|anything|what is there|the rest), (add|append) {T} to {F}
put (another|one more|a new) (line|entry|item) in {F}(:| saying| that says) {T}
(add|append) (the |)(item|todo|task|entry|dependency|requirement|setting|option|rule|name|value|pattern) {T} to {F}
"""
KIND["prepend"] = """
(open|edit|take|go to|update|in) {F}(,| and|, and|) (add|put|insert|write|place) (the line |the text |){T} (at the top|at the beginning|at the start|as the first line|at the very top|above everything|before everything else|on top)
{F}: (prepend|add at the top|insert at the top|first line should be) {T}
{T} (belongs|goes|should go|must go) (at|to) the (top|beginning|start|head) of {F}
(add|put|insert) {T} (on|at) (line 1|the first line|top|the first position) (of|in) {F}
[prepend] {T} (to|at|on|in) the (top|beginning|start|head|very top|very beginning) of {F}
prepend {T} to {F}
prepend (the |a |)(line|text|header|comment|title|words) {T} to {F}
[prepend] (the |a |)(line|text|entry|header|title|heading|comment|words|shebang)(:|) {T} (to|at|on|in) the (top|beginning|start|head) of {F}
[prepend] {T} as (the |a new |)(first line|header|very first line|top line|heading|title line) (of|to|in|into|for) {F}
[prepend] (a line|a header|a heading|a title|a comment|a new first line|a first line) (to|at|on) the (top|beginning|start) of {F}(:| saying| that says| reading) {T}
prepend (a line|a header|a comment) to {F}(:| saying| that says|) {T}
(at|to) the (top|beginning|start|very top) of {F}(,|) (add|put|write|insert|place|prepend) (the line |the text |){T}
(insert|put|add|place|write) {T} (before|above|ahead of|in front of) (the first line|everything else|all other lines|everything|the current first line|all the other lines|the existing content|the rest) (of|in) {F}
make {T} the (first|very first|top|new first) line (of|in) {F}
let {F} (begin|start) with (the line |){T}
{F} (should|must|has to|needs to) (begin|start) with (the line |a line saying |the text |){T}
{T} (should|must|has to|needs to) (be|become|go) (the first line|at the top|at the very top|the new first line|the top line) (of|in) {F}
(give|add to) {F} (a |the )(header|heading|title|first line)(:| saying|) {T}
(start|begin|open) {F} with (the line |){T}
{F} (needs|should get) (a |the )(header|title|first line|heading|line at the top)(:| saying) {T}
"""
KIND["replace"] = """
{F} (says|has|contains|still says|still has|still contains|uses|mentions|reads) {O}(,|;| but| where it|) (it should be|it should say|change it to|change that to|make it|should be|should say|needs to be|replace it with|replace that with|it must be|I want) {W}
the {O} in {F} (should be|has to become|must be|needs to be|should become|ought to be) {W}
{F} should (say|use|have|contain|read|mention) {W} (instead of|rather than|in place of|and not|not) {O}
(make|let) {F} (say|use|have|read) {W} (instead of|rather than|in place of) {O}
(change|update|edit) {F}: {O} (->|=>|to|→) {W}
(change|bump|update|set|raise|lower|increase|decrease|switch) (it|the value|the version|the number|the port|the limit|the timeout|the setting|the name) from {O} to {W} in {F}
in {F}(,|) (change|bump|update|set|raise|lower|increase|switch) (the value|the version|the port|it|the number|the setting|the timeout) from {O} to {W}
(I made a typo in|there's a typo in|something is off in|I need a change in|there is a mistake in|small fix in|one change in) {F}(,|:|.| -) (replace|change|swap|turn|Replace|Change) {O} (with|by|to|into) {W}( there| in it|)
(switch|change) from {O} to {W} in {F}
(go through|scan) {F} and (replace|change|swap) (every|each|all|any) {O} (with|by|to|for) {W}
no more {O} in {F}, (use|make it|write|put) {W}( instead|)
(do a|run a) (search and replace|find and replace|search-and-replace) in {F}(:|,) {O} (to|->|with|by) {W}
(rename|change) {O} to {W} (everywhere |)(in|inside) {F}
{O} (->|=>|→) {W} in {F}
[replace] {O} (with|by) {W} in {F}
[replace] (the word|the text|the string|the value|the phrase|the name|every|each|all occurrences of|every occurrence of|all|all instances of|every instance of|each occurrence of|the number|any) {O} (with|by) {W} in {F}
in {F}(,|) [replace] (the word |the text |all |every |all occurrences of |the value |the string |){O} (with|by) {W}
(substitute|sub|swap in|put|use) {W} for {O} in {F}
swap {O} (for|with|out for|by) {W} in {F}
[change] {O} (to|into) {W} in {F}
[change] (the word|the value|the text|the string|the setting|the number|the name|the line|every|all|the phrase|the entry|the version|the port|the line that says|the spelling) {O} (to|into) {W} in {F}
in {F}(,|) [change] (the word |the value |the line |the text |every |all |the setting |the number |){O} (to|into) {W}
(go into|open|edit|look into|take|update|modify) {F} and (change|replace|turn|switch|update) {O} (to|with|into|by) {W}
(edit|update|modify|change|fix) {F}(:| so that| such that|,) {O} (becomes|is replaced by|is replaced with|turns into|is changed to|->|=>|to|is now|reads|should be|should become|should read|→) {W}
(edit|update|modify|change) {F}(:|,) (replace|change|turn|switch) {O} (with|to|by|into) {W}
(every|each|all|any) {O} in {F} (should|must|has to|needs to|shall|is to) (be|become|be changed to|be replaced by|be replaced with|turn into|read) {W}
{O} in {F} (should|must|has to|needs to|ought to) (be|become|be changed to|be replaced by|be replaced with|say|read|be replaced by the word) {W}
(where|wherever) {F} says {O}(,|) (it should|it must|make it|let it|it has to|have it|it ought to) (say|read) {W}
(where|wherever) it says {O} in {F}(,|) (it should say|make it|write|put|change it to|make it say|it must say|replace it with|let it say) {W}
s/{o}/{w}/ in {F}
sed s/{o}/{w}/g {F}
in {F}: {O} -> {W}
in {F}: {O} (=>|→|becomes|should be|to) {W}
{F}: (replace|change|swap) {O} (with|to|by) {W}
{F}: {O} (->|=>|→|should be|becomes) {W}
find {O} (in {F} and|and) (replace|change|swap) it (with|by|to|for) {W}( in {F}|)
find and replace {O} with {W} in {F}
(there is a typo|there's a typo|typo|there is a mistake|there's an error|a typo) in {F}(:|,|;| -) {O} (should be|must be|should read|instead of|has to be|ought to be) {W}
(fix|correct) the (typo|spelling|word|mistake|error|value|spelling mistake) {O} in {F}(,|;|:|) (it should be|to|should be|it must be|it should read|to read|the right word is|make it) {W}
set {O} to {W} in {F}
(use|put|write) {W} instead of {O} in {F}
in {F}(,|) (use|write|put|say|have) {W} (instead of|rather than|in place of|not) {O}
(I want|I'd like|I need|we want) {O} (replaced|changed|swapped|substituted) (with|by|to|for) {W} in {F}
(in {F}|) (rename|change) (the variable|the function|the constant|the key|the option|the class|the identifier|the parameter|the field) {O} to {W} in {F}
(the value|the word|the text|the setting|the number) {O} in {F} (is wrong|is incorrect|is outdated|is not right|is no longer right)(,|;|:|.) (it should be|make it|change it to|It should be|use|replace it with) {W}
(turn|convert) {O} into {W} (in|inside|within|throughout) {F}
[replace] {O} (with|by) {W} (throughout|everywhere in|inside|within|across|in the whole of) {F}
"""
KIND["drop"] = """
{F}: (remove|delete|drop) (the line |the entry |){T}
(open|go to|take|edit|in) {F}(,| and|, and) (remove|delete|drop|take out|cut|erase) (the line |the entry |the item |){T}
(the line|a line) {T} in {F} (is|has become) (wrong|obsolete|outdated|superfluous|not needed|no longer needed)(,|;|.| -) (remove it|delete it|drop it|take it out|get rid of it|please remove it)
(I don't want|we don't want|we no longer need|I no longer need|we don't need) (the line |){T} in {F}( any more| anymore|)
[delete] the line {T} (from|in|out of) {F}
[delete] (the|that|any|every|all) (line|lines|row|entry|lines that say|line that says|line saying|line containing|lines containing|line with|lines with|line that contains|lines that contain|line reading|entry for|rows with|row containing|row that contains) {T} (from|in|out of) {F}
[delete] {T} from {F}
[delete] (the line|the lines|the row|every line|all lines|any line) (in|from|of) {F} (that says|that say|that contains|containing|with|that reads|saying|which contain|which says|that mentions|mentioning|that includes|that has) {T}
(in|from) {F}(,|) [delete] (the line|the entry|every line with|the line with|lines containing|the line that says|all lines that contain|the line saying|the row) {T}
(take|strip|cut|pull|throw|kick|knock) (the line |the entry |the words |){T} (out of|from|off) {F}
{F} (should no longer|should not|must not|must no longer|shouldn't|needn't) (contain|have|list|mention|include|hold) (the line |the entry |){T}( any more| anymore|)
(the line|the entry|the row) {T} (should|must|has to|needs to|can) (be removed from|go from|be deleted from|disappear from|be taken out of|be dropped from|be cut from|vanish from|leave) {F}
(edit|update|open) {F} and (remove|delete|drop|take out|cut) the (line|entry|row) (that says |with |containing |){T}
(cross|strike) {T} (off|out of|off of|from) (the list in |the list |){F}
(cut|strip|filter|weed|edit) (out |)(the line|lines with|every line containing|the lines saying|any line with) {T} (from|in|out of) {F}
{T} (has to|must|should|can) (go from|come out of|be struck from|be gone from) {F}
there should be no (line|entry) {T} in {F}( any more| anymore|)
(remove|delete|drop) (the |)(item|todo|task|entry|dependency|requirement|setting|option|rule|name|import|comment|word|text) {T} (from|in) {F}
"""
KIND["rename"] = """
{X} is a (bad|poor|stupid|wrong|silly|confusing|misleading) name(,|;|.| -) (call it|name it|rename it to|make it|it should be|rename it) {N}
{X} (would be|is) better (called|named|off as) {N}
(the file|the folder) {x} was (misnamed|named wrongly|badly named)(,|;|.) (it should be|it should be called|rename it to|call it) {N}
(I want|we want|let) {X} (to become|become) {N}
{X} (becomes|should become|must become|shall become) {N}
(from now on|henceforth|from today) {X} (is|should be|will be) (called|named) {N}
(please |)(rename|re-name) {X} {N}
change {x} to {n}
(could|can) {X} be (called|named|renamed to) {N}
[rename] {X} (to|as|into) {N}
rename (the file|the folder|the directory|file|folder|my file) {x} (to|as|into|so it is called|so that it is called) {N}
(give|change) {X} (the name|the new name|its name to|the name to|name to) {N}
change the name of {X} (to|into) {N}
(call|name) {X} {N} (instead|from now on|now)
{X} (should|must|has to|needs to|shall|ought to) (be|now be|be now|from now on be|have the name|be re-) (called|named|renamed to|known as|titled) {N}( from now on| instead| now|)
{X} (should|must|has to|needs to) be renamed (to|as|into) {N}
{X} (should have|gets|should get|needs) (the name|a new name:|the new name) {N}
ren {x} {n}
rename {x} {n}
{x} -> {n}
rename: {x} (->|=>|to|→) {n}
(let's|I want to|I'd like to|we should|we want to) (call|name) {X} {N} (instead|from now on|now)
(the new name of|the new name for) {X} (is|should be|shall be|must be) {N}
(set|make) the name of {X} (to |){N}
(file|folder) {x} (needs|wants|gets|should get) (a new name:|the name) {N}
(I want|I'd like|I need) {X} (renamed|to be renamed|to be called|to be named) (to |){N}
turn the (file name|filename|name) {x} into {N}
"""
KIND["move"] = """
mv {x} {n}
mv {x} {n}
(move|mv) {X} to {N}
(move|mv) {X} to {N}
move {X} (so that it becomes|so it becomes|over to) {N}
{X} is in the wrong (place|folder|directory|spot)(,|;|.| -) (it belongs in|move it to|put it in|it should be in|move it into) {D}
{X} should be (in|inside) {D}(,| and) not here
(could|can) {X} (go|be moved) (in|into|to|inside) {D}
{X} (to|into|=> |-> ) {D}
[move] {X} (to|into|in|inside|over to|over into) (the |)(folder |directory |){D}
[move] {X} (to|into|inside) the {D} (folder|directory|dir|subfolder)
[move] (the file |the folder |file |){x} (to|into|inside) {D}
mv {x} {d}
(the |){X} (should|must|has to|needs to|ought to|shall) (be|live|go|be moved|be placed|be stored|be put|sit|reside|end up|be located|be kept) (in|into|inside|under|within) {D}
{X} (belongs|goes|should go|must go|has to go|needs to go|wants to be) (in|into|inside|under) {D}
(in|into|to) {D}(,|) (move|put|place) {X}
(get|have|I want|I'd like|I need|we want) {X} (moved|put|in|into|to be in|placed|inside|transferred) (to|into|in|) {D}
(file|put|store|place) {X} (away |)(under|in|into|inside) {D}
(take|grab|pick up) {X} and (put|move|place|drop|stick) it (in|into|inside|to|under) {D}
(move|relocate|transfer|shift) {X} from (here|the top level|the root|the current directory|its place|where it is|this folder) (to|into) {D}
(move|drag|pull) {X} (over |across |down |up |)(to|into) {D}
(change the location of|change the place of) {X} to {D}
"""
KIND["copy"] = """
(I need|I want|make|let) {N} (to be|be) (a copy of|the same as|identical to|an exact copy of) {X}
{N} should be (a copy of|identical to|the same as|an exact copy of|a duplicate of) {X}
(create|make) {N} (from|as a copy of|by copying|as a duplicate of|out of|based on) {X}
(have|put) (a copy|a second copy|another copy|a duplicate) of {X} (in|into|at|under) {N}
(have|put|leave|drop) (a copy|a second copy|a backup|a duplicate) of {X} (in|into|inside) (the folder |the directory |){D}
(could|can) {X} be (copied|duplicated) (to|as|into) {N}
cp -a {x} {n}
{X} should (also exist as|exist twice, the second time as|be available as|also be saved as) {N}
[copy] {X} (to|as|into|under the name|onto) {N}
[copy] {X} (to|into|in|inside) (the |)(folder |directory |){D}
[copy] {X} (to|into|inside) the {D} (folder|directory|dir)
(make|create|take|produce|do|get|prepare) (a |another |one |)(copy|duplicate|backup|backup copy|second copy|clone|replica) of {X} (called|named|as|under the name|at|and call it|and name it|with the name|by the name of|in|to) {N}
(make|create|put|place|leave|save|store) a (copy|duplicate|backup) of {X} (in|into|inside|under|to) (the |){D}( folder| directory|)
cp {x} {n}
cp {x} {d}
cp -r {x} {d}
(duplicate|clone|copy|replicate) {X}(;|,|.|:) (the copy should be|call the copy|name the copy|the duplicate is called|the copy is called|the new one is called|the new file should be|name the duplicate) {N}
(I need|I want|I'd like|we need|give me|there should be) (a |another |)(copy|duplicate|backup|backup copy) of {X} (called|named|as|under the name|at|in) {N}
(I need|I want|I'd like|we need|there should be) a (copy|duplicate|backup) of {X} (in|inside|under) {D}
(back up|save|backup|preserve|duplicate) {X} (as|to|under|into|in) {N}
(keep|leave) (the original|{X} as it is|{X} in place) (and|but) (copy|duplicate) (it|{x}) (to|as) {N}
{X} (should|must|has to|needs to) be (copied|duplicated|backed up|cloned) (to|as|into) {N}
(use|take) {X} (as a template for|as the basis of|as a starting point for) {N}
(save|store) (a copy of |){X} (as|under) {N} (too|as well|also)
"""
KIND["delete"] = """
(we're|I'm|we are|I am) done with {X}(,|;|.) (delete it|remove it|get rid of it|it can go|you can delete it|so delete it)
(could|can) {X} be (deleted|removed)
{X}(:|,| -) (delete|remove|delete it|get rid of it|remove it|to be deleted|away with it|gone)
away with {X}
(there's|there is) (a |an |the |)(file|folder|directory) (called |named |){x}(,|.|;| -) (delete it|remove it|get rid of it|Delete it|Remove it|please delete it)
(delete|remove) (it|this)(:|,) {x}
[delete] {X}
[delete] (the |my |this |that |our |)(old |unused |obsolete |stale |temporary |whole |entire |useless |stupid |broken |unneeded |)(file|folder|directory|dir|script|document) (called |named |){x}
[delete] {X}(, please|, thanks| for good| permanently| completely| entirely| altogether| from the project| from the workspace| from disk| right away| now| again| from here|, it is not needed|, it's not needed any more|, we don't need it|, nobody uses it| with everything in it| and everything in it| and all its contents| and its contents| including its contents| recursively| as a whole)
{X} (should|must|has to|needs to|can|may|shall|is to|ought to) (be [delete]|go|disappear|go away|vanish|be gone|leave|go to the bin|be trashed|be history)
rm {x}
rm -r {x}
rm -rf {x}
rm -f {x}
del {x}
rmdir {x}
(I don't need|we don't need|nobody needs|I no longer need|we no longer need|I have no use for|there is no need for|we have no more use for) {X} (any more|anymore|any longer|)(,|;|.|:| -|) (delete it|remove it|so delete it|get rid of it|so remove it|please delete it|please remove it|it can go|drop it|throw it away|so get rid of it|you can delete it|it should go)
(I don't want|we don't want) {X} (any more|anymore|here|around)(,|;|.|) (delete it|remove it|get rid of it|so delete it|please remove it)
(get|have|I want|I'd like|I need) {X} (deleted|removed|gone|erased|out of here|wiped|trashed|out of the way)
(take|get|move) {X} (out of the project|off the disk|out of here|off my disk|off the face of the earth|out of my sight)
(make|let) {X} (disappear|go away|vanish|be gone)
{X} (is|are|has become) (no longer needed|obsolete|not needed|not needed any more|useless|outdated|garbage|junk|trash|superfluous|a leftover|stale|redundant)(,|;|.| -|:|) (delete it|remove it|get rid of it|so delete it|please remove it|please delete it|throw it away|it can be deleted|drop it|so get rid of it)
(delete|remove|get rid of|drop) (file|folder|directory)(:|) {x}
(delete|remove)(:|) {x}
"""
KIND["mkdir"] = """
(a |)(new |)(folder|directory) (called |named |){M}
add (a |the |){M} (folder|directory|dir)
[mkdir] (the |a |){M} (folder|directory|dir)
(could|can) (we|I) have a (folder|directory) (called |named |){M}
{M} (should|must) (be a folder|be a directory|exist as a folder|exist as a directory)
[mkdir] (a |the |one |another |)(new |empty |)(folder|directory|dir|subfolder|subdirectory)(:|) (called |named |with the name |){M}
[mkdir] (the |a |)(folder|directory|dir) {M}
[mkdir] (the |a |)(nested |)(folders|directories|directory structure|folder structure|directory tree|folder path|path|directory path) {M}
mkdir {M}
mkdir -p {M}
md {M}
(new|make|add) (folder|directory|dir)(:|) {M}
(I need|I want|I'd like|we need|there should be|give me|let there be|there must be|let's have|we should have) (a |an |a new |an empty |another )(folder|directory|dir) (called |named |){M}
(the |a |)(folder|directory) {M} (should|must|has to|needs to) (exist|be created|be there|be made)
make sure (that |)(the |there is a |a |)(folder|directory) (called |named |){M}( exists| is there|)
(ensure|check) (that |)(the |)(folder|directory) {M} (exists|is there)(,| -|) (create it if not|if not create it|otherwise create it|else make it)
[mkdir] {M} (as a (folder|directory)|, a folder|, a directory|, it is a folder)
[mkdir] an empty (folder|directory|dir) (called |named |){M}
"""
KIND["count_lines"] = """
lines in {F}
{F}(:|,) (how many lines|number of lines|line count|count the lines|count lines)
(give|tell|show) me (the |)(lines count|line count|number of lines) (of|for|in) {F}
(how many|count the) (rows|lines of text|lines of code) (are in|are there in|does {F} have|in) {F}
(how long|how many lines long) is {F}
[count] (the |)(number of |)lines (in|of) {F}
[count] (how many lines) (are in|there are in|are there in|does) {F}
how many lines (does {F} have|are in {F}|are there in {F}|has {F}|does {F} contain|is {F}|{F} has|in {F}|are contained in {F}|make up {F}|long is {F}|can be found in {F})
[tell] (the |)(number|count|total number) of lines (in|of) {F}
[tell] how many lines (there are in {F}|{F} has|are in {F}|{F} contains|{F} consists of)
(what is|what's) the (number of lines|line count|total number of lines|length in lines|count of lines) (in|of) {F}
wc -l {F}
(line count|number of lines|lines) (of|in|for) {F}
how long is {F} in lines
(I want|I need|I'd like) (to know |)(how many lines {F} has|the line count of {F}|the number of lines in {F}|how many lines are in {F})
(get|give|show|print) (me |)the line count (of|for) {F}
count {F}'s lines
count lines (in|of) {F}
do a line count (of|on) {F}
"""
KIND["count_words"] = """
words in {F}
{F}(:|,) (how many words|number of words|word count|count the words|count words)
(how many|count the) words (did I write|have I written|stand) in {F}
[count] (the |)(number of |)words (in|of) {F}
how many words (does {F} have|are in {F}|are there in {F}|has {F}|does {F} contain|in {F}|{F} has|is {F}|are contained in {F})
[tell] (the |)(number|count|total number) of words (in|of) {F}
[tell] how many words (there are in {F}|{F} has|are in {F}|{F} contains)
(what is|what's) the (number of words|word count|total number of words|length in words) (in|of) {F}
wc -w {F}
(word count|number of words|words) (of|in|for) {F}
(I want|I need|I'd like) (to know |)(how many words {F} has|the word count of {F}|the number of words in {F}|how many words are in {F})
(get|give|show|print) (me |)the word count (of|for) {F}
count {F}'s words
do a word count (of|on) {F}
"""
KIND["count_chars"] = """
{F}(:|,) (how many characters|number of characters|character count|count the characters)
(how many|count the) (characters|letters and signs) (did I write|stand|are) in {F}
[count] (the |)(number of |)(characters|chars|letters) (in|of) {F}
how many (characters|chars) (does {F} have|are in {F}|are there in {F}|has {F}|does {F} contain|in {F}|is {F})
[tell] (the |)(number|count|total number) of (characters|chars) (in|of) {F}
[tell] how many (characters|chars) (there are in {F}|{F} has|are in {F}|{F} contains)
(what is|what's) the (number of characters|character count|char count|length in characters|total number of characters) (in|of) {F}
wc -m {F}
(character count|number of characters|char count) (of|in|for) {F}
(I want|I need|I'd like) (to know |)(how many characters {F} has|the character count of {F}|the number of characters in {F})
do a character count (of|on) {F}
"""
KIND["count_files"] = """
{D}(:|,) (how many files|number of files|count the files)
(how many|what number of) files (did we put|have we|have we got|lie|sit) (in|inside) {D}
(count|number of) files (in|inside|of) (the |)(folder |directory |){D}
[count] (the |)(number of |all |all the |)files (in|inside|within|under) {D}
how many files (are in|are there in|does|are inside|are under|in|do we have in|lie in|are stored in|can be found in|are sitting in) {D}
how many files (does {D} have|does {D} contain|has {D}|does {D} hold|there are in {D})
[tell] (the |)(number|count|total number) of files (in|inside|under) {D}
[tell] how many files (there are in|are in|lie in|are inside) {D}
(what is|what's) the (number of files|file count|total number of files) (in|of|inside) {D}
(file count|number of files) (of|in|for) {D}
(I want|I need|I'd like) (to know |)(how many files are in {D}|the number of files in {D}|how many files {D} has)
"""
KIND["search"] = """
(lines|all lines|each line|the lines) (with|containing|mentioning|that contain) {T} (in|of|from) {F}
(any|got any|have we got any|do we have any) (mention|sign|trace|occurrence) of {T} in {F}
(in|inside) {F}(,|) (find|search for|look for|grep|show me|where is|locate) {T}
(I'm looking|I am looking|we are looking) for {T} in {F}
(I want|I'd like|I need) to (know|see) (where|in which line) {F} (mentions|contains|says|uses) {T}
[search] (for |)(the word |the text |the string |occurrences of |any |the phrase |){T} in {F}
[search] for (the word |the text |the string |occurrences of |any |all |the phrase |mentions of |){T} (in|inside|within) {F}
[search] {F} for (the word |the text |the string |occurrences of |any |all |the phrase |lines with |mentions of |){T}
[search] (in|inside|through|within) {F} for (the word |the text |the string |occurrences of |any |){T}
[find] (the line|the lines|all lines|lines|every line|any line|all the lines|which lines|those lines) (in|of) {F} (that contain|containing|with|that mention|that have|mentioning|that contains|that say|which contain|matching|where it says|that include|including) {T}
[find] (all |every |each |any |the |)(occurrences of |occurrence of |mentions of |places with |lines with |lines containing |instances of |uses of |references to |)(the word |){T} in {F}
[find] {T} in {F}
[find] where {T} (is|occurs|appears|is mentioned|is used|is set|is defined|stands|is found) in {F}
grep {T} {F}
grep -n {T} {F}
grep for {T} in {F}
(where|in which line|on which line|on what line|in what line|which line) (is|does|in {F} is|of {F} has|in {F} has|in {F} does) {T} (in {F}|occur in {F}|appear in {F}|mentioned in {F}|used in {F}|show up in {F}|defined in {F}|set in {F}|written in {F})
(which|what) lines (of|in) {F} (contain|mention|have|say|include|match|hold) {T}
(is there|are there|do we have|can you find|can you see|do you see) (any |a |)(mention of|occurrence of|reference to|line with|lines with|trace of|mentions of|line containing) {T} in {F}
does {F} (contain|mention|have|include|say|reference) (the word |the text |the string |the line |){T}( anywhere|)
(is|does) {T} (in {F}|mentioned in {F}|occur in {F}|appear in {F}|anywhere in {F}|part of {F}|contained in {F}|used in {F}|somewhere in {F}|to be found in {F})
(check|see|verify|find out|look) (if|whether) {F} (contains|mentions|has|includes|says) {T}
(check|see|find out) (if|whether) {T} (is in|is mentioned in|appears in|occurs in|is found in|is used in) {F}
(tell|show) me (where|in which line|on which line) {F} (mentions|contains|says|has|uses) {T}
(tell|show) me (where|in which line) {T} (is|appears|occurs|is mentioned) in {F}
(look|check|search) (in|inside|into|through) {F} (for|and find) {T}
{F}: (find|search|grep|look for) {T}
"""
KIND["search_dir"] = """
[search] (for |)(the word |the text |the string |){T} (in|inside|within|under|below) (the |)(folder |directory |){D}
[search] (the |)(folder |directory |){D} for (the word |the text |the string |occurrences of |any mention of |){T}
[search] (all |the |all the |all of the |)files (in|inside|under|below) {D} for {T}
(which|what) files (in|under|inside|below|of) {D} (contain|mention|have|use|include|say|reference) {T}
[find] (all |the |any |)(files|lines|places|occurrences) (in|under|inside|below) {D} (that contain|containing|that mention|with|mentioning|that use|where it says|that have) {T}
[find] {T} (anywhere |somewhere |)(in|under|inside|below|within) (the folder |the directory |){D}
grep -r {T} {D}
grep -rn {T} {D}
grep recursively for {T} in {D}
(where|in which file|in which files|in what file) (is|does|in {D} is|under {D} does) {T} (used in {D}|occur in {D}|mentioned in {D}|appear in {D}|appear|occur|mentioned|in {D}|defined in {D})
(is|are) there (any file|a file|anything|any files) (in|under) {D} (that contains|containing|that mentions|with|mentioning|that contain) {T}
"""
KIND["search_here"] = """
(look|search) for {T} (in every file|in all the files|all over the project|anywhere|in the files here)
(where|in what files|in which file) (is|do we have|did I use|did we write|does it say) {T}
(does|do) (any file|any of the files|any files|some file) (contain|mention|use|have) {T}
[search] (for |)(the word |the text |the string |){T} (here|everywhere|in all files|in this project|in the project|in the workspace|in the current directory|in this folder|in every file|in this directory|in the whole project|across all files|across the project|in the whole workspace|recursively|throughout the project)
[search] (all files|every file|the project|the whole project|this folder|the workspace|the current directory|everything|all the files here|this directory|the entire project|the codebase|the repo|the repository) for (the word |the text |the string |){T}
(which|what) (files|file) (contain|contains|mention|mentions|have|use|include|say|has|uses) {T}
[find] (all |the |any |)(files|lines|places) (that contain|containing|that mention|with|mentioning|that use|where it says|here that contain|in the project that contain|that have) {T}
grep -r {T} .
grep -rn {T} .
grep -r {T}
(where|in which file|in which files) (is|does|do we use|do we have|do we mention) {T} (used|occur|mentioned|appear|in this project|defined|here|anywhere|come up|set)
[find] (every |all |any |)(occurrence of |occurrences of |mention of |mentions of |use of |uses of |){T} (here|in this project|in the project|in any file|in all files|in the workspace|across the project|everywhere|in this folder|in the codebase|in the repo)
"""
KIND["list"] = """
{D}(:|,) (list|ls|what's in it|list it|what is in there|show the files)
(I want|I need|I'd like) (a list of|to see) (the files|everything|all files|what is) in {D}
(inside|in) {D}(,|) (what files are there|what do we have|what is there|which files exist|list the files)
(the |)(contents|content|files|entries) (of|in) (the |)(folder |directory |){D}
[list] (the |all |all the |)(files|contents|content|entries|file names|names|items|things|stuff) (in|of|inside|under|within) (the |)(folder |directory |){D}
[list] (everything|all|what is|what's|anything) (in|inside|under) (the |)(folder |directory |){D}
[list] (the |)(folder|directory) {d}
list {D}
ls {D}
ls (in|of) {D}
(what is|what's|what files are|which files are|what do we have|what is there|what all is|what's there) (in|inside|under|stored in|within) (the |)(folder |directory |){D}
(what|which) files (does {D} have|does {D} contain|are in {D}|are there in {D}|lie in {D}|are inside {D}|are stored in {D}|do we have in {D}|live in {D}|can be found in {D}|are under {D})
(what|which things) (does|do we have in|is contained in|lies in|lives in) {D}( contain| hold| have|)
(show|tell|give) me (what's in|what is in|the contents of|the files in|everything in|a list of the files in|a listing of|what lies in|the content of the folder|a list of everything in|all files in|which files are in) (the |){D}( folder| directory|)
(give|show|print|get|do|make) (me |)(a |the |)(listing|list|directory listing|file list|overview|content listing) (of|for) (the |)(folder |directory |){D}
(let me see|I want to see|I'd like to see|I want to know) (what is in|the files in|everything in|what {D} contains|what files are in) {D}
look (into|in|inside) {D} and (tell me what is there|list what you find|show me what's there|say what is in it|list the files)
dir {D}
(name|enumerate) (all |)(the |)files (in|of) {D}
"""
KIND["list_here"] = """
(I want|I need|I'd like) (a list of|to see) (the files|everything|all files|what is) (here|in this folder|in the current directory)
(what|which) (files and folders|files or folders|things|entries) (are here|are there|do we have here|are in this folder|exist)
ls -l
ls -la
(the |)(contents|files) (of|in) (this|the current) (folder|directory)
[list] (the |all |all the |)(files|contents|entries|file names|items) (here|in this folder|in the current directory|in the workspace|in this directory|in the current folder|in the project|at the top level|in the root|in the top folder|in here|)
[list] (everything|all|what is|what's) (here|in this folder|in the current directory|in this directory|in the workspace|in here|at the top level|in the project root)
ls
ls -a
dir
(what|which) files (are here|are there|do we have|are in this folder|are in the current directory|do we have here|exist here|are in this directory|are in the workspace|are around)
(what is|what's|what do we have) (here|in this folder|in the current directory|in this directory|in the workspace|in here|there|in the project)
(show|tell|give) me (what's here|what is here|all files|the files|the file list|what files there are|a list of all files|a list of the files here|everything here|the contents of this folder|the contents of the current directory|a listing of this directory|what's in this folder|what is in the current directory)
list (this|the current) (folder|directory)
(a |)(list|listing|directory listing) of (this folder|the current directory|the files here|all files here)
"""
KIND["show"] = """
(I forgot|I don't remember|remind me|I can't remember|do you know) (what's in|what is in|what I wrote in|what stands in|what we have in) {F}
(what did I|what did we|what have I) (write|put|written|note down) in {F}
(remind|inform) me (what|of what) {F} (says|contains)
{F}(:|,) (show|print|what's in it|what does it say|show it|cat it|display it|contents please|show me)
(I want|I'd like|I need) (to see|to read|to look at|to view|a look at) {F}
(the |)(contents|content|text) of (the file |){f}
(how does|how do) {F} (look|read)
[show] {F}
[show] (the |)(content|contents|text|whole content|full content|entire content|full text|complete contents|whole|entire) of {F}
[show] what is in {F}
[show] what's in {F}
[show] the (whole |entire |full |complete |)(file|script|document) (called |named |){f}
[show] (the |all |all the |everything in |every line of )(lines of |content of |text in |){F}
cat {f}
type {f}
less {f}
(what is|what's|what is written|what stands|what's written|what does it say|what is inside|what have we got) in {F}
(what does|what do) {F} (say|contain|look like|hold|have in it|have inside|read|include)
(what are|what is|what's) the (contents|content|text) of {F}
(can I|may I|could I|let me|I want to|I'd like to|I need to|I would like to) (see|read|look at|view|have a look at|take a look at|check|inspect) (the contents of |the content of |what's in |what is in |){F}
(open|read|print|display|cat) {F} (for me|and show it to me|to me|please|and show me what is in it|and print it|on the screen|and tell me what it says|in full|out loud)
(tell|show) me what {F} (says|contains|holds|looks like|has in it|has inside)
(give|get) me (the contents of |the content of |a look at |the text of |){F}
(have|take) a look at {F}
(content|contents|text) of {F}
let's see {F}
{F}: (show|print|display|contents|cat|read)( it|)
"""
KIND["show_first"] = """
{F}(:|,) (first line|the first line|show the first line|first line only|top line)
(I only need|I only want|I want|I need|just) the first line of {F}
(in|of) {F}(,|) (show|print|read|give me) (only |just |)the (first|top) line
[show] (the |)(very |)(first|top|opening|initial) line (of|in|from) {F}
[show] (just|only) the (first|top) line of {F}
(what is|what's) the (very |)(first|top|opening) line (of|in) {F}
(what does|how does) (the first line of {F} say|{F} begin with|{F} start with|{F} begin|{F} start)
head -1 {f}
head -n 1 {f}
head -n1 {f}
(the |)first line of {F}
[tell] (what is|what's|what stands|what is written) (in|on) the first line of {F}
(read|give|show|tell) me (just |only |)the first line of {F}
(how|with what) does {F} (begin|start)
(what is|what's|what's written|what stands) (in|on|at) (the first line|line one|line 1|the top line|the very top) of {F}
"""
KIND["show_last"] = """
{F}(:|,) (last line|the last line|show the last line|last line only|final line)
(I only need|I only want|I want|I need|just) the last line of {F}
(in|of) {F}(,|) (show|print|read|give me) (only |just |)the (last|final) line
[show] (the |)(very |)(last|final|bottom|closing) line (of|in|from) {F}
[show] (just|only) the (last|final) line of {F}
(what is|what's) the (very |)(last|final|bottom|closing) line (of|in) {F}
(what does|how does) (the last line of {F} say|{F} end with|{F} end)
tail -1 {f}
tail -n 1 {f}
tail -n1 {f}
(the |)(last|final) line of {F}
[tell] (what is|what's|what stands|what is written) (in|on) the last line of {F}
(read|give|show|tell) me (just |only |)the (last|final) line of {F}
(how|with what) does {F} end
(what is|what's|what's written|what stands) (in|on|at) (the last line|the final line|the bottom|the very end|the end) of {F}
"""
KIND["test"] = """
(is|are) {C} (green|passing|ok|happy|working|still green|fine)
(let's see|let me see|I want to know|I'd like to know|I wonder|tell me) (if|whether|what happens when) {C} (passes|works|succeeds|runs|is run|still passes)
{C} please
please {c}
(I want|I need|I'd like) (you to run|to run|to see|the output of|the result of) {C}
(what|how) (does|is|about) {C} (say|doing|report|give|tell us)
(run|execute) (this|this command|the following|the command)(:|) {C}
(time to|now) (run|execute) {C}
[run] {C}
[run] {C} (and|then) (tell me|report|say|show me|let me know) (how it went|the result|if it passes|whether it passes|what happens|the outcome|if it works|how it goes|what it says|the output|whether it works|if it succeeds)
[run] (the tests|the test suite|the test|the checks|the check|the unit tests|our tests|all tests|the script|the command|the test script|tests) (with|using|by running|via|through|by|:) {C}
(does|will|would) {C} (pass|succeed|work|run|go through|still pass|run through|fail|complete|finish cleanly)
(see|check|find out|tell me|verify|make sure|test) (if|whether|that) {C} (passes|works|succeeds|runs|still passes|is green|goes through|runs through|still works|is happy)
(do the tests|do all tests|does the test|do our tests|do the checks|does the test suite) pass(?|) ([run] {C}|Run {C}|run {C}|check with {C}|use {C}|try {C})
{c}
$ {c}
(test|check) (the project|the code|everything|it|things|the build|the workspace) (with|using|by|by running|via) {C}
(give|have) {C} a (try|run|go|shot)
(what does|what is the result of|what's the outcome of|what happens if you run|what happens with|what's the output of) {C}( say| print| give| output|)
(use|take) {C} to (test|check) (the code|the project|everything|it|whether all is well|that it works)
"""
KIND["fix"] = """
(edit|change|correct|adjust|update|modify|fix) {F} (so that|such that|until|so|in a way that|in order that) {C} (passes|succeeds|works|is green|runs|goes through)
(get|make) {C} (green|pass|work) by (editing|changing|fixing|correcting|adjusting) (the value in |the wrong value in |){F}
{F} (has|contains|holds) (a wrong|an incorrect|a bad|one wrong|an outdated) (value|number|setting)(,|;|.|:| -) ([run] {C} and [fix] it|[fix] it so that {C} passes|{C} shows which, [fix] it|[fix] it, check with {C}|use {C} to find it and [fix] it)
[run] {C}(;|,|.) (if|when) (it|the test) (fails|breaks|complains|is red|doesn't pass|does not succeed), (the value in {F} is wrong|the wrong value is in {F}|it is because of {F}|[fix] the value in {F}|[fix] {F})(, [fix] it| and [fix] it|, so [fix] it|)( and run it again| and try again| and rerun|)
(the test|my test|the check) {C} (fails|is failing|does not pass|is red|broke)(,|.|;| because| since) (the value in {F} is wrong|a value in {F} is wrong|{F} has a wrong value|{F} holds a wrong value|the setting in {F} is off)(,|.|;|) (fix it|correct it|please fix it|fix that|can you fix it|please correct it)
(the problem|the error|the cause|the reason) (is|lies|must be) in {F}(:|,|;| -) (make|get) {C} pass
[run] {C} and if (it fails|necessary|needed|it doesn't pass|it is red) [fix] {F}( and run it again| and rerun it| accordingly|)
(please |)(find out|see|check) why {C} fails and [fix] (the value|the wrong value|the number|it) in {F}
[run] {C}(,| and|;|.) (if it fails|if it doesn't pass|if it does not pass|should it fail|when it fails|on failure|in case it fails|if that fails|if there is a failure|if the test fails|if something fails)(,|) [fix] (the value|the number|the wrong value|the setting|the constant|what is wrong|the mistake|the error|the problem|the bad value|the wrong number|it) in {F}( and (run it again|try again|run again|rerun it|rerun|run the test again|check again|repeat)| until it passes| so that it passes| so it passes| then rerun it|)
(make|get|let) {C} (pass|succeed|work|go through|green|run)(:| by| -|,|;) [fix] (the value|the number|the wrong value|the setting|the constant|the mistake|the config) in {F}
(make|get) {C} (to pass|pass|green|to succeed|work|working|passing)(.|;|,|:| -) (the wrong value|the value to change|the bad setting|the problem|the mistake|the error|the wrong number|the culprit|the value in question|the constant) (is|must be|should be|lies|sits|has to be) in {F}
{C} (fails|is failing|does not pass|doesn't pass|is red|is broken|breaks|currently fails)(,|.|;|:| -|) ([fix] (the value|the number|the wrong value|the setting|what is wrong|the constant) in {F}|please [fix] {F}|[fix] {F}|[fix] it in {F}|the value in {F} is wrong, [fix] it|can you fix the value in {F}|correct {F}|adjust {F} so it passes|[fix] {F} until it passes)
[fix] (the value|the number|the wrong value|the setting|the constant|the mistake|the bug|the error|what is wrong) in {F} (so that|such that|until|so) {C} (passes|succeeds|works|is green|goes through|runs|is happy|passes again)
[fix] {F} (so that|such that|until|so) {C} (passes|succeeds|works|is green|goes through|runs|is happy|passes again)
{C} (should|must|has to|needs to) (pass|succeed|work|be green|go through)(,|;|.|:| -) ([fix] the (value|number|constant|setting|wrong value) in {F}|[fix] {F} (accordingly|if needed|if necessary|until it does|so it does)|the value in {F} may be wrong|the value in {F} is wrong|change {F} if needed)
(something|a value|a number|a setting|one value|a constant) in {F} (is wrong|is off|is incorrect|is not right|makes the test fail|breaks the test)(,|;|.|:| -) ([run] {C} (and|to see what, and|and then) [fix] it|{C} shows it, [fix] it|[fix] it so that {C} passes|[fix] it, {C} must pass|use {C} to find out what and [fix] it)
[run] {C} and [fix] (the value|the number|the setting|the constant|whatever value is wrong|the wrong value|what it complains about|what fails) in {F}( if needed| if it fails| until it passes| if necessary| should it fail| accordingly|, then run it again|)
(debug|repair|mend) (the failing test|the failure of|the test) {C}(:|;|,) (change|fix|correct|adjust) (the value|the number|the setting) in {F}
(use|take) {C} to (find|see) (what is wrong in|the wrong value in|the error in) {F} and [fix] it
[run] {C}, (look at|read) (the failure|what fails|the error|the message|the output), [fix] (the value|the wrong value|the number) in {F}(,| and) (run it again|run again|rerun|try again)
"""

# What is no request for any of the calls, and has no {slot} that a call would take.
UNCLEAR = """
(hello|hi|hey|good morning|good evening|hello there|hi there|yo|greetings)( there| again| friend| bot|)
(how are you|how do you do|what's up|how is it going|who are you|what are you|what is your name|are you there|are you a robot|can you hear me|how old are you|where are you from)
(what can you do|help|help me|what do you know|how does this work|what are your commands|what is this|who made you|how do I use you|what should I do now)
(thanks|thank you|ok|okay|great|cool|nice|good job|well done|perfect|yes|no|maybe|never mind|nevermind|forget it|wait|sorry|stop|cancel|go on|continue|again|undo|what)
(tell me a joke|sing a song|write a poem about {w}|tell me about {w}|what is {w}|explain {w}|who is {w}|what do you think about {w}|translate {w} to French|define {w}|write an essay about {w}|give me ideas for {w}|recommend a {w})
(what time is it|what is the weather like|what day is today|how much is {n} plus {n}|what is {n} times {n}|what is the capital of {w}|who won the {w}|calculate {n} * {n}|convert {n} euros to dollars)
(write|implement|create|build|code|develop|program|make) (a |an |me a |)(function|program|script|class|web app|game|parser|website|server|api|library|unit test|algorithm|module|login page|todo app|chat bot|test suite|dashboard|calculator) (that|which|for|to|in python that|in C that) (sorts|parses|computes|downloads|prints|checks|handles|manages|validates|converts|renders) {w}s
(write|implement|create|build) (a |an )(function|program|script|class|game|parser|server|module) (in python|in C|in javascript|for {w}|for me|to {w} the {w}|called {w}|that does {w})
(refactor|optimize|improve|review|document|debug|profile|simplify|test|modernize|speed up|explain|lint|audit) (the code|this project|the {w} module|my code|the whole thing|the {w} function|{F}|{F} a bit|the algorithm in {F}|the code in {F})
(compress|zip|tar|gzip|archive|unzip|extract|untar|decompress|pack|encrypt|decrypt|sign|hash|upload|email|mail|send|print on paper|scan|publish|share|sync|deploy|install|uninstall|compile|minify|format|beautify|sort|reverse|shuffle|deduplicate|validate|merge|split|truncate|upgrade|lock|unlock|hide|protect|open in the editor|edit in vim|convert to pdf|translate|summarize|pretty-print|indent|lowercase|uppercase|spellcheck|base64-encode|checksum|resize|crop|benchmark|watch|monitor|tail -f|follow|mount|burn) {F}
(compress|zip|archive|encrypt|upload|sync|deploy|back up to the cloud|share|sort|format) (the |)(folder |directory |)({D}|everything in {D}|all files in {D})
(convert|translate|transform|export|render|turn) {F} (to|into) (pdf|html|json|a pdf|uppercase|lower case|French|German|markdown|csv|a table|a presentation|utf-8|python 3|typescript|base64)
(chmod|chown|chgrp) (+x|755|644|root|600|-R 755|u+x|{w}) {F}
(make|mark|set) {F} (executable|read-only|writable|hidden|private|public|immutable|world-readable|writable for all|only readable by me|unreadable)
(change|set|fix|give) (the |)(permissions|owner|mode|rights|group|timestamp|modification time|encoding|line endings|ownership) (of|on|for) {F}( to {n}| to {w}|)
(make|create|add) (a |an )(symlink|link|symbolic link|hard link|alias|shortcut|desktop icon) (to|for|from) {F}( called {N}| at {N}|)
(git |)(commit|push|pull|clone|checkout|stash|rebase|merge|branch|reset|revert|blame|init|fetch|tag|cherry-pick)( everything| my changes| all changes| the changes| {F}| the {w} branch| origin main| with message {T}| the last commit| it all| to github|)
(commit|push|stage|revert|stash|git add|check in|undo the changes to) {F}( with the message {T}| to git| and push it|)
git (status|log|diff|add .|commit -m {T}|push|pull|init|clone {w}|checkout {w}|reset --hard|stash|branch -a)
(download|fetch|get|curl|wget|grab) (https://{w}.com/{w}|the file from https://{w}.org|{w} from the internet|the latest {w}|the {w} page)( and save it as {N}| to {N}| into {D}|)
(npm|pip|apt|cargo|brew|yarn) (install|update|remove|add|uninstall|upgrade) {w}
(install|update|upgrade|uninstall|set up|configure|restart|start|stop|launch|reboot) (python|node|the package {w}|docker|{w}|the dependencies|the server|the database|nginx|the {w} service|postgres|all packages|the computer|the machine)
[delete] (all|every|the|any) (.{e} files|*.{e} files|{e} files|files|files ending in .{e}|files that start with {w}|empty files|temporary files|hidden files|files older than {n} days|files in {D}|log files|duplicates|old files|backup files|text files|files except {F}|files but {F}|files larger than {n} MB|test files|unused files|files with {w} in the name)
[delete] *.{e}
rm *.{e}
rm -rf *
rm -rf /
[copy] (all|every|the|any) (.{e} files|*.{e} files|{e} files|files|files ending in .{e}|images|log files|files that start with {w}|text files) (to|into) {D}
[move] (all|every|the|any) (.{e} files|*.{e} files|{e} files|files ending in .{e}|images|log files|text files|pictures|files starting with {w}) (to|into) {D}
(mv|cp) *.{e} {D}
[rename] (all|every) (.{e} files|files|*.{e} files|images) (to .{e}|to lower case|by date|to {w}*|so they start with {w}|with a prefix|consistently)
[replace] {O} (with|by) {W} in (all|every) (files|.{e} file|.{e} files|*.{e}|file in {D}|files in {D}|files under {D})
[show] (all|every) (.{e} files|{e} files|files ending in .{e}|files in {D})
[count] (the |)(lines|words) (in|of) (all|every) (.{e} files|files in {D}|{e} file|files)
(don't|do not|never|please don't|you must not|under no circumstances|please do not|by no means|you should not|don't you dare|no need to|it is forbidden to|I don't want you to|stop|avoid|refrain from) ([delete]|[rename]|[move]|[copy]|[show]|[create]|touch|change|edit|modify) {F}
(leave|keep) {F} (alone|as it is|untouched|where it is|in place|unchanged|exactly as it is|safe)
{F} (must|should|shall) (not be [delete]|stay|stay where it is|never be [delete]|remain|remain untouched|not be changed|be left alone|stay as it is|not be moved)
(delete|remove|rename|copy|move|create|show|open|edit|count|append|replace|fix|update|change|list|search)
(delete|remove|erase|get rid of|drop|show|print|rename|copy|move|open|fix|update|change|edit|count) (it|that|this|them|the file|the folder|something|everything|a file|the other one|the last one|one of them|those|that one|some file|the files|the thing|stuff|the rest|both|the old one|the right one|the wrong one)
(rename|move|copy|change) {F}
(rename|move|copy) {F} (somewhere|somewhere else|to a better place|properly|to something better|to the right folder|elsewhere|to where it belongs|appropriately|to a nicer name)
(create|make|add|write) (a file|a new file|a folder|a directory|something|a new folder|some files|a text file|two files|an empty file|a few folders|a config file|a readme)
(append|add|write|put) {T}
(add|append|write|insert) (a line|something|some text|a comment|a header|an entry|a paragraph) to {F}
(add|insert|write|put) {T} (after line {n}|before the line {T}|in the middle|somewhere|at line {n}|on line {n}|in line {n}) (of|in) {F}
(replace|change|update|edit|fix) (the|some|a) (word|text|line|value|typo|setting|port|version) in {F}
(replace|change|swap) {O} (with|by|to) {W}
(replace|change) (something|it|that|everything) in {F}( with {W}|)
(create|make|write) (the |a |)(file |){N} with (the lines {T} and {T}|two lines: {T}, {T}|three lines|{n} lines of {w}|lines {n} to {n}|{n} random numbers|the current date|today's date|some text|something about {w}|a list of {w}s|a hello world program|a license text|lorem ipsum|a table of {w}s|the following lines: {T}, {T} and {T}|numbers from 1 to {n}|the output of {c})
[show] (line {n}|lines {n} to {n}|the first {n} lines|the last {n} lines|the second line|the third line|every second line|the middle|the longest line|a random line|the first few lines|the first half|the first word|the last word|the first paragraph|the last {n} characters) of {F}
(head -n {n}|tail -n {n}|head|tail|head -{n}|tail -{n}) {F}
[delete] (line {n}|lines {n} to {n}|the first line|the last line|the second line|the first {n} lines|all lines|every second line|empty lines|all comments|the blank lines|duplicate lines|trailing whitespace|the last word) (of|in|from) {F}
(compare|diff) {F} (and|with|to|against) {F}
(merge|combine|concatenate|join) {F} (and|with) {F}( into {N}|)
(swap|exchange) {F} (and|with) {F}
(which|what) is (bigger|newer|longer|older|larger|smaller)(,|) {F} or {F}
(when|who|why|how) (was|did|has) {F} (created|changed|last changed|written|written by|made|last modified|edited|broken)
(how big|how large|how old|how good|how many bytes|what type|what encoding|what size) (is|has) {F}
(what|why|how|when|where|who) (do|does|is|are|can|should|would|did|was|will) (you|I|we|it|they|the {w}|this {w}|the {w} of the {w}|my {w})( do| work| mean| go| {w}| fail| happen|)
(is|are|does|do|can|should|would|will|did|was) (you|I|we|it|they|the {w}|this|there a {w}|anybody|{w})( {w}| work| done| right| ready| here| know {w}| like {w}|)
(maybe|perhaps|possibly|I wonder if we should|should we|would it be good to|do you think we should|what if we|is it wise to|would you recommend to|is it safe to|am I allowed to|may I|who should) ([delete]|[rename]|[move]|[copy]) {F}
(either|maybe) (delete|rename|move|copy) {F} or (delete|rename|move|copy) {F}(, you choose|, whichever|, as you like|)
(delete|show|copy|print) (either |){F} or {F}
(delete|remove|move|copy|rename) {F} (if|unless|when|after|in case) (it is old|it is not needed|you think so|it's {w}|nobody uses it|it is empty|it exists|{w} is done|it is larger than {n} kB|tomorrow comes|the {w} is {w})
(delete|rename|show|move|copy) {F} (tomorrow|later|at {n} o'clock|next week|in {n} minutes|every day|every hour)
(lösche|erstelle|öffne|zeige|kopiere|verschiebe|bitte lösche|benenne|schreibe|zähle die Zeilen in|suche) (die Datei |den Ordner |){F}( nach {N}| in {N} um| mit dem Text {T}|)
(supprime|crée|affiche|copie|déplace|ouvre|renomme|efface) (le fichier |le dossier |){F}( en {N}| vers {D}|)
(borra|crea|muestra|copia|mueve|abre|elimina|renombra) (el archivo |la carpeta |){F}( a {N}| en {D}|)
(cancella|crea|mostra|copia|sposta|apri|elimina) (il file |la cartella |){F}
(удали|создай|покажи|скопируй|переименуй) (файл |папку |){F}
(删除|创建|显示|复制|打开|重命名) {F}
{w}
{w} {w}
{w} {w} {w}
{w} {w} {w} {w} {w}
{F}
{F} {F}
{F} {w}
{w} {F}
{w} {F} {w} {N}
{T}
{w} {T} {w} {F}
{n}
{w} the {w} {w} (to|with|in|of|from) the {w}
the {w} (is|was|has|needs|wants|should be|looks) {w}( and {w}|)
{F} (is|looks|seems|was|feels) (nice|good|broken|strange|empty|important|big|old|new|ok|mine|yours|a file|the best|corrupt|weird|secret)
I (like|love|hate|know|see|made|wrote|lost|found|forgot|remember|use|have) {F}
(sudo|su|docker|kubectl|ssh|scp|rsync|kill|ps|top|df|du|free|ifconfig|ping|nc|crontab|systemctl|find|awk|xargs|sort|uniq|diff|ln -s|chmod|tar xf|unzip|vim|nano|code|emacs) {w}( {w}| {F}|)
(curl|wget|nc|ssh|scp|ping|telnet) {w}.com( -o {N}| {F}|)
(kill|stop|start|restart|shut down) (the |)(process|server|{w}|computer|machine|job|service|daemon|program)( {n}| {w}|)
(set|export|unset) {w}={n}
(schedule|remind me|plan|book|order|buy|call|text|invite|cook|drive|play|pay|sell) (a |an |the |me |my |)(meeting|to {w}|{w}|with {w}|{w} for {n} people)
(restore|recover|undelete|bring back|undo|redo|unrename|roll back) (it|{F}|the last change|everything|what you did|the deleted file)
(generate|invent|make up|think of|choose|pick|suggest) (a |an |some |the |)(password|name|random number|uuid|title|file name|better name|test data|key|certificate|names) (for|in|and put it into|and store it in) {F}
(fill in|complete|finish|polish|translate|summarize|rewrite|proofread|comment|annotate|correct) {F}
(make|get) (the tests|everything|it|the build|the code) (pass|work|faster|better|nicer|green|cleaner)
(fix|solve|find|debug) (the bug|the tests|the build|all errors|the problem|it|the {w} bug|issue {n}|the failing tests|the compile error)
(run|execute|start|launch) (it|the tests|the program|the server|everything|that|the script|something|the build)
(deploy|release|ship|publish|roll out|build) (it|the {w}|the app|version {n}|to production|to {w}|a release|the docs|everything)
"""

# Reasons and asides around a request; nothing in them is asked for.
BEFORE = """
we are cleaning up
I am tidying up the project
this is urgent
quick one
one small thing
small change
next step
next task
a small request
housekeeping
I am in a hurry
for the release
my boss wants this
ok
right
so
hi
hello
hey
hey there
good morning
well
alright
listen
"""
AFTER = """
thanks
thank you
thanks a lot
thx
cheers
that is all
that's all
nothing else
and nothing else
only that
no other changes
do not change anything else
leave everything else as it is
that's it
please be careful
ty
much appreciated
I need it for the release
it is for the demo
you can do it
then you are done
don't touch anything else
"""
PREFIX = """please |please |please |can you |could you |could you please |can you please |would you |would you please |I want you to |
I need you to |I'd like you to |I would like you to |go ahead and |let's |kindly |just |now |now please |you should |
we need to |we have to |I need to |I want to |try to |your task is to |your job: |task: |todo: |be so kind and |
you have to |next, |ok, |make sure to |don't forget to |remember to |quickly |do me a favor and |I'd be glad if you could |
it would be great if you could |if you could |if possible, |hey, |hey, can you |pls |plz |would you be able to |
I was wondering if you could |do |do please |time to |simply |the next thing is to |we want to |I have to |help me |
help me to |feel free to |could I ask you to |may I ask you to |you need to |you must |first of all, |for me, """
GERUND = """would you mind |do you mind |how about |what about |I'd appreciate you |start by |begin by |I suggest |consider |"""

# A file is spoken of first, and what to do with "it" comes after.
INTRO = """
(there's|there is|we have|I have|I've got|we've got|you will find|you'll find) (a|this|the) file (called|named) {F}( here| in the project|)
you (know|see|remember) {F}?
(about|regarding|concerning|as for) {F}
(look at|take) {F}
{F}
the file {F}
I (wrote|made|created|added|found|have) {F}( yesterday| this morning| a while ago| last week| by mistake|)
"""

HELD_OUT = 0.06


def lines(block):
    return [s for s in block.strip().split("\n") if s.strip()]
