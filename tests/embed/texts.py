"""Varied texts to embed: registers, lengths, scripts, and what only transcripts have."""

TEXTS = (
    "ok",
    "Thanks!",
    "Did you ever call the plumber about the kitchen tap?",
    "Marta: the flight lands at 18:40, so don't bother cooking, we'll eat on the way back from the airport.",
    "I quit. Not today, but I've decided, and the letter is in my drawer.",
    "We agreed to move the launch from the 3rd of March to the 17th because legal hasn't signed off on the terms.",
    "My grandmother's soup: leeks, two potatoes, a rind of old cheese, and patience.",
    "def mean(xs):\n    return sum(xs) / len(xs)  # fails on an empty list",
    "https://example.org/tickets?id=4412&sort=date",
    "Größere Änderungen besprechen wir nächste Woche, einverstanden?",
    "今日は雨だから、図書館で会いましょう。",
    "На выходных поедем к сестре на дачу, если не будет дождя.",
    "😀😀 can't believe we WON!!! 3-2 in extra time",
    "[Photo: two dogs asleep on a blue sofa]",
    "The invoice number is 2024-0093, the amount is 1,250.00 and it was due on Friday.",
    "um so I was like, you know, maybe we just, I dunno, postpone it?",
    "She has been allergic to peanuts since she was four, and lately to kiwi as well.",
    "He didn't say that he would come; he said that he wouldn't not come.",
    "What is the name of Tom's daughter's school?",
    "A" * 400,
    "   ",
    "word " * 500,
    "Yesterday I went to the support group in the old town hall. Nine people came, more than ever, and for the first "
    "time somebody else made the coffee. We talked about sleep, about what to say at work, and about the form that "
    "nobody understands. On the way home I bought tulips. I want to go again next Tuesday, and maybe bring Lena.",
)
