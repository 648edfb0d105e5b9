; A robot with two hands mixes cocktails: ingredients come from dispensers into shots, two shots into the shaker, the
; shaken cocktail into a shot. A shot that held something else must be emptied and cleaned before it is used again.
(define (domain barman)
  (:requirements :strips :typing)
  (:types hand level beverage dispenser container - object
          ingredient cocktail - beverage
          shot shaker - container)
  (:predicates (ontable ?vessel - container) (holding ?hand - hand ?vessel - container) (handempty ?hand - hand)
               (empty ?vessel - container) (contains ?vessel - container ?drink - beverage)
               (clean ?vessel - container) (used ?vessel - container ?drink - beverage)
               (dispenses ?tap - dispenser ?drink - ingredient)
               (shaker-level ?shaker - shaker ?level - level) (shaker-empty-level ?shaker - shaker ?level - level)
               (next ?lower - level ?higher - level)
               (unshaked ?shaker - shaker) (shaked ?shaker - shaker)
               (cocktail-part1 ?drink - cocktail ?part - ingredient)
               (cocktail-part2 ?drink - cocktail ?part - ingredient))

  (:action grasp
    :parameters (?hand - hand ?vessel - container)
    :precondition (and (handempty ?hand) (ontable ?vessel))
    :effect (and (holding ?hand ?vessel) (not (handempty ?hand)) (not (ontable ?vessel))))

  (:action leave
    :parameters (?hand - hand ?vessel - container)
    :precondition (holding ?hand ?vessel)
    :effect (and (handempty ?hand) (ontable ?vessel) (not (holding ?hand ?vessel))))

  (:action fill-shot
    :parameters (?shot - shot ?drink - ingredient ?holder - hand ?other - hand ?tap - dispenser)
    :precondition (and (holding ?holder ?shot) (handempty ?other) (dispenses ?tap ?drink)
                       (empty ?shot) (clean ?shot))
    :effect (and (contains ?shot ?drink) (used ?shot ?drink) (not (empty ?shot)) (not (clean ?shot))))

  (:action refill-shot
    :parameters (?shot - shot ?drink - ingredient ?holder - hand ?other - hand ?tap - dispenser)
    :precondition (and (holding ?holder ?shot) (handempty ?other) (dispenses ?tap ?drink)
                       (empty ?shot) (used ?shot ?drink))
    :effect (and (contains ?shot ?drink) (not (empty ?shot))))

  (:action empty-shot
    :parameters (?holder - hand ?shot - shot ?drink - beverage)
    :precondition (and (holding ?holder ?shot) (contains ?shot ?drink))
    :effect (and (empty ?shot) (not (contains ?shot ?drink))))

  (:action clean-shot
    :parameters (?shot - shot ?drink - beverage ?holder - hand ?other - hand)
    :precondition (and (holding ?holder ?shot) (handempty ?other) (empty ?shot) (used ?shot ?drink))
    :effect (and (clean ?shot) (not (used ?shot ?drink))))

  (:action pour-shot-to-clean-shaker
    :parameters (?shot - shot ?drink - ingredient ?shaker - shaker ?holder - hand ?before - level ?after - level)
    :precondition (and (holding ?holder ?shot) (contains ?shot ?drink) (empty ?shaker) (clean ?shaker)
                       (shaker-level ?shaker ?before) (next ?before ?after))
    :effect (and (empty ?shot) (contains ?shaker ?drink) (unshaked ?shaker) (shaker-level ?shaker ?after)
                 (not (contains ?shot ?drink)) (not (empty ?shaker)) (not (clean ?shaker))
                 (not (shaker-level ?shaker ?before))))

  (:action pour-shot-to-used-shaker
    :parameters (?shot - shot ?drink - ingredient ?shaker - shaker ?holder - hand ?before - level ?after - level)
    :precondition (and (holding ?holder ?shot) (contains ?shot ?drink) (unshaked ?shaker)
                       (shaker-level ?shaker ?before) (next ?before ?after))
    :effect (and (empty ?shot) (contains ?shaker ?drink) (shaker-level ?shaker ?after)
                 (not (contains ?shot ?drink)) (not (shaker-level ?shaker ?before))))

  (:action empty-shaker
    :parameters (?holder - hand ?shaker - shaker ?drink - cocktail ?before - level ?bottom - level)
    :precondition (and (holding ?holder ?shaker) (contains ?shaker ?drink) (shaked ?shaker)
                       (shaker-level ?shaker ?before) (shaker-empty-level ?shaker ?bottom))
    :effect (and (empty ?shaker) (shaker-level ?shaker ?bottom)
                 (not (shaked ?shaker)) (not (contains ?shaker ?drink)) (not (shaker-level ?shaker ?before))))

  (:action clean-shaker
    :parameters (?holder - hand ?other - hand ?shaker - shaker)
    :precondition (and (holding ?holder ?shaker) (handempty ?other) (empty ?shaker))
    :effect (clean ?shaker))

  (:action shake
    :parameters (?drink - cocktail ?one - ingredient ?two - ingredient ?shaker - shaker ?holder - hand ?other - hand)
    :precondition (and (holding ?holder ?shaker) (handempty ?other) (unshaked ?shaker)
                       (contains ?shaker ?one) (contains ?shaker ?two)
                       (cocktail-part1 ?drink ?one) (cocktail-part2 ?drink ?two))
    :effect (and (shaked ?shaker) (contains ?shaker ?drink)
                 (not (unshaked ?shaker)) (not (contains ?shaker ?one)) (not (contains ?shaker ?two))))

  (:action pour-shaker-to-shot
    :parameters (?drink - beverage ?shot - shot ?holder - hand ?shaker - shaker ?before - level ?after - level)
    :precondition (and (holding ?holder ?shaker) (shaked ?shaker) (contains ?shaker ?drink)
                       (empty ?shot) (clean ?shot) (shaker-level ?shaker ?before) (next ?after ?before))
    :effect (and (contains ?shot ?drink) (shaker-level ?shaker ?after)
                 (not (empty ?shot)) (not (clean ?shot)) (not (shaker-level ?shaker ?before)))))
