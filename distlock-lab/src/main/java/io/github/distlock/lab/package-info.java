/**
 * The lab: it starts a shop in several processes, sells its stock under many strategies,
 * breaks it, and shows what happens. {@link io.github.distlock.lab.Lab} is the entry. The
 * lab knows processes and names of classes, and no type of the shop.
 * <p>
 * The packages, of which each uses only those before it: {@code processes},
 * {@code servers}, {@code runs}, {@code console}; {@code records}, {@code page}. The
 * package {@code web} checks the callers of all services. The package {@code check} is a
 * program of its own.
 */
@NullMarked
package io.github.distlock.lab;

import org.jspecify.annotations.NullMarked;
