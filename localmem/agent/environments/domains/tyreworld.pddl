; Flat tyres are exchanged for the spare ones in the boot. A hub stands for the place where a wheel belongs, and has
; one set of nuts; a jacked-up hub holds the jack, and a loose nut must come off before its wheel does.
(define (domain tyreworld)
  (:requirements :strips :typing)
  (:types obj place - object
          tool wheel nut - obj
          hub container - place)
  (:constants jack pump wrench - tool)
  (:predicates (isopen ?box - container) (closed ?box - container) (unlocked ?box - container)
               (in ?thing - obj ?box - container) (have ?thing - obj)
               (tight ?nut - nut ?hub - hub) (loose ?nut - nut ?hub - hub)
               (fastened ?hub - hub) (unfastened ?hub - hub)
               (on-ground ?hub - hub) (not-on-ground ?hub - hub)
               (on ?wheel - wheel ?hub - hub) (free ?hub - hub)
               (intact ?wheel - wheel) (inflated ?wheel - wheel) (not-inflated ?wheel - wheel))

  (:action open
    :parameters (?box - container)
    :precondition (and (closed ?box) (unlocked ?box))
    :effect (and (isopen ?box) (not (closed ?box))))

  (:action close
    :parameters (?box - container)
    :precondition (isopen ?box)
    :effect (and (closed ?box) (not (isopen ?box))))

  (:action fetch
    :parameters (?thing - obj ?box - container)
    :precondition (and (isopen ?box) (in ?thing ?box))
    :effect (and (have ?thing) (not (in ?thing ?box))))

  (:action put-away
    :parameters (?thing - obj ?box - container)
    :precondition (and (isopen ?box) (have ?thing))
    :effect (and (in ?thing ?box) (not (have ?thing))))

  (:action loosen
    :parameters (?nut - nut ?hub - hub)
    :precondition (and (have wrench) (on-ground ?hub) (tight ?nut ?hub))
    :effect (and (loose ?nut ?hub) (not (tight ?nut ?hub))))

  (:action tighten
    :parameters (?nut - nut ?hub - hub)
    :precondition (and (have wrench) (on-ground ?hub) (loose ?nut ?hub))
    :effect (and (tight ?nut ?hub) (not (loose ?nut ?hub))))

  (:action jack-up
    :parameters (?hub - hub)
    :precondition (and (have jack) (on-ground ?hub))
    :effect (and (not-on-ground ?hub) (not (on-ground ?hub)) (not (have jack))))

  (:action jack-down
    :parameters (?hub - hub)
    :precondition (not-on-ground ?hub)
    :effect (and (on-ground ?hub) (have jack) (not (not-on-ground ?hub))))

  (:action undo
    :parameters (?nut - nut ?hub - hub)
    :precondition (and (have wrench) (not-on-ground ?hub) (fastened ?hub) (loose ?nut ?hub))
    :effect (and (have ?nut) (unfastened ?hub) (not (fastened ?hub)) (not (loose ?nut ?hub))))

  (:action do-up
    :parameters (?nut - nut ?hub - hub)
    :precondition (and (have wrench) (have ?nut) (not-on-ground ?hub) (unfastened ?hub))
    :effect (and (loose ?nut ?hub) (fastened ?hub) (not (unfastened ?hub)) (not (have ?nut))))

  (:action remove-wheel
    :parameters (?wheel - wheel ?hub - hub)
    :precondition (and (not-on-ground ?hub) (unfastened ?hub) (on ?wheel ?hub))
    :effect (and (have ?wheel) (free ?hub) (not (on ?wheel ?hub))))

  (:action put-on-wheel
    :parameters (?wheel - wheel ?hub - hub)
    :precondition (and (have ?wheel) (not-on-ground ?hub) (unfastened ?hub) (free ?hub))
    :effect (and (on ?wheel ?hub) (not (have ?wheel)) (not (free ?hub))))

  (:action inflate
    :parameters (?wheel - wheel)
    :precondition (and (have pump) (intact ?wheel) (not-inflated ?wheel))
    :effect (and (inflated ?wheel) (not (not-inflated ?wheel)))))
