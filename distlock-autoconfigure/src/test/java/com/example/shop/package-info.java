/**
 * An application as users write it: in a package of its own, outside the library's.
 */
@NullMarked
package com.example.shop;

import org.jspecify.annotations.NullMarked;
