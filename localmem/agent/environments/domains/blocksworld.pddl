; Blocks on a table and one arm (the four actions of STRIPS teaching, after Winograd's world of blocks).
(define (domain blocksworld)
  (:requirements :strips)
  (:predicates (on ?upper ?lower) (on-table ?block) (clear ?block) (holding ?block) (arm-empty))

  (:action pickup
    :parameters (?block)
    :precondition (and (arm-empty) (on-table ?block) (clear ?block))
    :effect (and (holding ?block)
                 (not (arm-empty)) (not (on-table ?block)) (not (clear ?block))))

  (:action putdown
    :parameters (?block)
    :precondition (holding ?block)
    :effect (and (on-table ?block) (clear ?block) (arm-empty)
                 (not (holding ?block))))

  (:action stack
    :parameters (?block ?below)
    :precondition (and (holding ?block) (clear ?below))
    :effect (and (on ?block ?below) (clear ?block) (arm-empty)
                 (not (holding ?block)) (not (clear ?below))))

  (:action unstack
    :parameters (?block ?below)
    :precondition (and (arm-empty) (on ?block ?below) (clear ?block))
    :effect (and (holding ?block) (clear ?below)
                 (not (on ?block ?below)) (not (clear ?block)) (not (arm-empty)))))
