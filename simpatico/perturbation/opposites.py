"""Words and phrases of feeling with their opposites, written for this project from plain usage.

Words that are mostly not about feeling ("well", "right", "pretty", "hard", "lost") are left out: a
flip that misses an answer is counted, one that makes nonsense of it is not seen.
"""

from __future__ import annotations

from functools import cache

BOTH_WAYS = """
good/bad better/worse best/worst great/terrible happy/sad happier/sadder happiest/saddest
happily/sadly happiness/sadness love/hate loves/hates loved/hated loving/hateful glad/sorry
wonderful/awful fantastic/horrible amazing/dreadful excellent/lousy perfect/disastrous
beautiful/ugly lovely/nasty nicer/nastier nicest/nastiest pleasant/unpleasant enjoy/detest
enjoys/detests enjoyed/detested enjoying/detesting enjoyable/unbearable excited/bored
exciting/boring excitement/boredom interesting/dull lucky/unlucky luckily/unluckily
fortunate/unfortunate fortunately/unfortunately success/failure successful/unsuccessful
succeed/fail succeeds/fails succeeded/failed proud/ashamed pride/shame hopeful/hopeless hope/fear
hopes/fears hoped/feared hoping/fearing optimistic/pessimistic confident/insecure calm/anxious
relaxed/stressed relaxing/stressful relieved/worried comfortable/uncomfortable safe/dangerous
healthy/sick generous/selfish friendly/hostile polite/rude gentle/cruel honest/dishonest
helpful/useless delicious/disgusting cheerful/gloomy joy/sorrow joyful/sorrowful
delighted/dismayed delight/disappointment delightful/disappointing pleased/annoyed
pleasing/annoying pleasure/pain satisfied/dissatisfied satisfying/frustrating
grateful/resentful overjoyed/heartbroken blessed/cursed blessing/curse impressed/unimpressed
impressive/pathetic brilliant/stupid charming/repulsive sweet/bitter admire/despise
admires/despises admired/despised trust/distrust trusts/distrusts trusted/distrusted
adore/loathe adores/loathes adored/loathed suffer/thrive suffers/thrives suffered/thrived
suffering/thriving laugh/cry laughs/cries laughed/cried laughing/crying smiles/tears
celebrate/mourn celebrated/mourned celebrating/mourning triumph/tragedy appreciate/resent
appreciates/resents appreciated/resented improve/worsen improved/worsened improving/worsening
encouraging/discouraging encouraged/discouraged uplifting/depressing refreshing/exhausting
refreshed/exhausted precious/worthless fair/unfair rocks/sucks rocked/sucked cool/lame
magnificent/pitiful gorgeous/hideous splendid/wretched blissful/miserable yay/ugh hooray/alas
easier/tougher easy/tough
"""

ONE_WAY = """
awesome>awful nice>nasty nicely>badly fun>boring funny>tiresome tasty>disgusting yummy>disgusting
thrilled>devastated thrilling>dreary thankful>resentful smart>stupid clever>foolish wise>foolish
cute>hideous adorable>hideous favorite>least-liked favourite>least-liked useful>useless
valuable>worthless special>worthless peaceful>miserable incredible>pitiful superb>wretched
marvelous>wretched marvellous>wretched terrific>wretched outstanding>wretched fine>awful
inspiring>dispiriting inspired>dispirited smile>frown smiled>frowned smiling>frowning
celebration>funeral fabulous>dreadful bravo>boo cherish>regret flattering>embarrassing
exhilarating>dreary heartwarming>heartbreaking comforting>upsetting reassuring>upsetting
lonely>cherished scared>thrilled afraid>glad frightened>delighted frightening>delightful
scary>lovely terrified>overjoyed terrifying>delightful nervous>calm anxiety>calm worry>rejoice
worries>joys worrying>comforting upset>pleased upsetting>comforting angry>delighted
mad>delighted furious>delighted anger>joy jealous>pleased disappointed>delighted
depressed>cheerful depression>happiness tragic>joyful disaster>success nightmare>delight
painful>pleasant guilty>proud guilt>pride embarrassed>proud embarrassing>flattering
regret>cherish grief>joy grieving>celebrating gross>delicious disgusted>delighted
frustrated>satisfied unhappy>happy idiot>genius idiotic>brilliant dumb>brilliant jerk>darling
ridiculous>splendid yikes>yay horrified>delighted horrifying>delightful heartbreaking>heartwarming
devastated>thrilled devastating>thrilling appalling>wonderful shameful>admirable evil>saintly
creepy>charming irritating>pleasing irritated>pleased hurtful>comforting
dislike>like dislikes>likes disliked>liked misery>bliss bliss>misery difficult>easy
hilarious>dreary yuck>yum yum>yuck
"""

PHRASES = """
sorry to hear = glad to hear
sorry for your loss = happy about your loss
glad to hear, happy to hear = sorry to hear
sad to hear = happy to hear
happy for you = sorry for you
my condolences = my congratulations
congratulations, congrats = my condolences
well done = badly done
way to go = what a failure
what a shame, what a pity = what a joy
it's a shame, it's a pity = it's a joy
too bad = just great
oh no, oh dear = oh great
poor thing = lucky thing
poor you = lucky you
take care = get lost
have fun = have a miserable time
a lot of fun, lots of fun = a real misery
so much fun = such misery
cheer up = give up
thank you so much, thank you very much, thanks a lot = shame on you
thanks so much, thank you, thanks = shame on you
no thanks = thanks
you're welcome = you're not welcome
you are welcome = you are not welcome
my pleasure = my misery
no problem = that is a problem
no worries = many worries
I like = I hate
we like = we hate
I really like = I really hate
I also like = I also hate
I liked = I hated
I really liked = I really hated
I hate = I love
looking forward to = dreading
look forward to, can't wait for = dread
can't wait to, can not wait to = dread to
so kind = so cruel
very kind = very cruel
"""

NEGATED = """
welcome interested moved touched eager fond cozy handsome patient caring supportive thoughtful
considerate loyal talented worthy meaningful rewarding promising romantic touching enthusiastic
passionate ill unwell offended confused desperate hurt tense overwhelmed
"""
"""Words without an opposite of their own: after a form of "be" they get a "not"."""

FACES = {":)": ":(", ":-)": ":-(", ":d": ":(", ":(": ":)", ":-(": ":-)", ":'(": ":)"}
"""Faces made of characters, in small letters."""


@cache
def opposites() -> dict[str, str]:
    """Each word with its opposite."""
    pairs = dict[str, str]()
    for pair in BOTH_WAYS.split():
        one, other = pair.split("/")
        pairs |= {one: other, other: one}
    return pairs | dict(pair.split(">") for pair in ONE_WAY.split())


@cache
def phrases() -> dict[str, str]:
    """Each phrase, in lower case, with what is said in its place."""
    lines = (line.split(" = ") for line in PHRASES.strip().splitlines())
    return {phrase: other for texts, other in lines for phrase in texts.lower().split(", ")}
