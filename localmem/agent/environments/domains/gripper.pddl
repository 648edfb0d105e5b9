; A robot with two arms carries balls between rooms.
(define (domain gripper)
  (:requirements :strips)
  (:predicates (room ?place) (ball ?thing) (gripper ?arm)
               (at-robby ?place) (at ?thing ?place) (free ?arm) (carry ?thing ?arm))

  (:action move
    :parameters (?here ?there)
    :precondition (and (room ?here) (room ?there) (at-robby ?here))
    :effect (and (at-robby ?there) (not (at-robby ?here))))

  (:action pick
    :parameters (?thing ?place ?arm)
    :precondition (and (ball ?thing) (room ?place) (gripper ?arm)
                       (at-robby ?place) (at ?thing ?place) (free ?arm))
    :effect (and (carry ?thing ?arm)
                 (not (at ?thing ?place)) (not (free ?arm))))

  (:action drop
    :parameters (?thing ?place ?arm)
    :precondition (and (ball ?thing) (room ?place) (gripper ?arm)
                       (at-robby ?place) (carry ?thing ?arm))
    :effect (and (at ?thing ?place) (free ?arm)
                 (not (carry ?thing ?arm)))))
