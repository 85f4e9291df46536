package io.github.distlock.kotlin

import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.springframework.beans.factory.getBean
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication

@SpringBootApplication
class KotlinApplication

/** A JVM of its own: sells from eight coroutines. Arguments: key, sales, whether to lock, and settings. */
object Seller {

    @JvmStatic
    fun main(arguments: Array<String>) {
        val (sku, sales, locked) = arguments
        runApplication<KotlinApplication>(*arguments.drop(3).toTypedArray()).use { context ->
            val inventory = context.getBean<Inventory>()
            println("started")
            readln()
            runBlocking {
                repeat(8) {
                    launch {
                        repeat(sales.toInt() / 8) {
                            if (locked.toBoolean()) inventory.deduct(sku) else inventory.deductWithoutLock(sku)
                        }
                    }
                }
            }
            println("sold")
        }
    }

}
